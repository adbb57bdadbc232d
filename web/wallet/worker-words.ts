export type PushMessage = { readonly merchant: string; readonly amount: string; readonly currency: string }

/**
 * The text of a notification, in the device's language if it is French, else in English: the worker cannot read the language
 * chosen in the app.
 */
export function describeRequest(
  { merchant, amount, currency }: PushMessage,
  language: string,
): { readonly title: string; readonly body: string } {
  const isFrench = /^fr\b/i.test(language)
  // Digits in the language of the title.
  const locale = isFrench || /^en\b/i.test(language) ? language : 'en'
  const title = isFrench ? `Demande de paiement de ${merchant}` : `Payment request from ${merchant}`
  return { title, body: writeAmount(amount, currency, locale) }
}

/**
 * The worker is built into one file and shares no module with the app, so it formats amounts by itself.
 * Intl formats decimal strings exactly; a float would lose digits.
 */
function writeAmount(amount: string, currency: string, language: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const exact = amount as Intl.StringNumericLiteral
  if (!Intl.supportedValuesOf('currency').includes(currency))
    return `${new Intl.NumberFormat(language, options).format(exact)}\u00a0${currency}`
  // Other dollars are written with their country, such as CA$.
  const currencyDisplay = currency === 'USD' ? 'narrowSymbol' : 'symbol'
  return new Intl.NumberFormat(language, {
    ...options,
    style: 'currency',
    currency,
    currencyDisplay,
  }).format(exact)
}
