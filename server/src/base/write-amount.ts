import { chooseDisplay, isIsoCurrency } from './currency-symbol.ts'

/** Major units as a decimal string, with all decimals of the currency. */
export type DecimalAmount = { readonly amount: string; readonly currency: string }
type Language = 'en' | 'fr'

const locales: Record<Language, string> = { en: 'en-US', fr: 'fr-FR' }

/**
 * Writes an amount for a reader: $12.50 or 45,00 € with all decimals, 0.5 ETH or 0,5 ETH without trailing zeros. Formats the
 * digits of the string, which may be more than a float can hold.
 */
export function writeAmount(language: Language, { amount, currency }: DecimalAmount): string {
  const isIso = isIsoCurrency(currency)
  const exact = isIso || !amount.includes('.') ? amount : amount.replace(/\.?0+$/, '')
  const decimals = exact.split('.')[1]?.length ?? 0
  const format = findFormat(language, decimals, isIso ? currency : undefined)
  const written = format.format(exact as Intl.StringNumericLiteral)
  // With a no-break space, as in amounts with a symbol.
  return isIso ? written : `${written}\u00a0${currency}`
}

/** Cached by language, decimals and currency: creating a format takes longer than formatting a hundred amounts. */
const formats = new Map<string, Intl.NumberFormat>()

function findFormat(language: Language, decimals: number, currency: string | undefined): Intl.NumberFormat {
  const name = `${language} ${decimals} ${currency ?? ''}`
  const cached = formats.get(name)
  if (cached !== undefined) return cached
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const style =
    currency === undefined
      ? {}
      : ({ style: 'currency', currency, currencyDisplay: chooseDisplay(locales[language], currency) } as const)
  const created = new Intl.NumberFormat(locales[language], { ...style, ...digits })
  formats.set(name, created)
  return created
}
