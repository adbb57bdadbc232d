let isoCurrencies: ReadonlySet<string> | undefined

/** Whether Intl has a symbol and a pattern for the currency. It has none for crypto such as ETH. */
export function isIsoCurrency(code: string): boolean {
  isoCurrencies ??= new Set(Intl.supportedValuesOf('currency'))
  return isoCurrencies.has(code)
}

/** Symbols that several currencies use, with the one that may use it alone. */
const sharedSymbols: Readonly<Record<string, string>> = { $: 'USD', '¥': 'JPY', '£': 'GBP', kr: '', Rs: '' }

/** The short symbol ($, ₦), or a longer one (CA$) where the short one could be another currency. */
export function chooseDisplay(locale: string | undefined, currency: string): 'narrowSymbol' | 'symbol' {
  const narrow = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  const symbol = narrow.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? ''
  const owner = sharedSymbols[symbol]
  return owner === undefined || owner === currency ? 'narrowSymbol' : 'symbol'
}
