import { chooseDisplay, isIsoCurrency } from '../../server/src/base/currency-symbol.ts'

export type Sign = '+' | '−' | ''

/** The fraction of an amount in fiat is a part of its own, with the decimal mark, so that it can be drawn smaller. */
export type MoneyPart = { readonly kind: 'digits' | 'fraction' | 'currency' | 'other'; readonly text: string }

export type NumberFormat = {
  readonly decimalMark: string
  /** A decimal string with the locale's separators and without its sign. */
  readonly groupDecimal: (decimal: string) => string
  /** An amount in the order in which the locale writes digits, currency and sign: $12.50, 12,50 €, 0.5 ETH. */
  readonly splitMoney: (decimal: string, code: string, sign: Sign) => readonly MoneyPart[]
}

type CurrencyFormat = {
  readonly unsigned: Intl.NumberFormat
  readonly signed: Intl.NumberFormat
  readonly decimalMark: string
  readonly decimals: number
}

/**
 * Formats exact decimal strings. Intl only formats whole numbers here, as BigInt, and the fraction is copied from the string:
 * amounts have up to 78 digits, and engines that read strings as floats would change them.
 */
export function createNumberFormat(locale: string | undefined): NumberFormat {
  const plain = new Intl.NumberFormat(locale, latinDigits)
  const decimalMark = findDecimalMark(plain)
  const currencyFormats = new Map<string, CurrencyFormat>()

  function formatFor(code: string): CurrencyFormat {
    const format = currencyFormats.get(code) ?? createCurrencyFormat(locale, code)
    currencyFormats.set(code, format)
    return format
  }

  function groupDecimal(decimal: string): string {
    const [whole, fraction] = splitDecimal(decimal)
    const digits = isDigits(whole) ? plain.format(BigInt(whole)) : whole
    return fraction === '' ? digits : `${digits}${decimalMark}${fraction}`
  }

  function splitMoney(decimal: string, code: string, sign: Sign): readonly MoneyPart[] {
    const [whole, fraction] = splitDecimal(decimal)
    if (isIsoCurrency(code) && isDigits(whole)) return splitFiat(formatFor(code), whole, fraction, sign)
    return [
      ...(sign === '' ? [] : [{ kind: 'other', text: sign } as const]),
      { kind: 'digits', text: groupDecimal(decimal) },
      { kind: 'other', text: '\u00a0' },
      { kind: 'currency', text: code },
    ]
  }

  return { decimalMark, groupDecimal, splitMoney }
}

// Fractions are copied in latin digits, so whole numbers use them in every locale.
const latinDigits = { numberingSystem: 'latn' }

function createCurrencyFormat(locale: string | undefined, code: string): CurrencyFormat {
  const currencyDisplay = chooseDisplay(locale, code)
  const options = { ...latinDigits, style: 'currency', currency: code, currencyDisplay } as const
  const standard = new Intl.NumberFormat(locale, options)
  const wholeOnly = { ...options, minimumFractionDigits: 0, maximumFractionDigits: 0 }
  return {
    unsigned: new Intl.NumberFormat(locale, wholeOnly),
    signed: new Intl.NumberFormat(locale, { ...wholeOnly, signDisplay: 'always' }),
    decimalMark: findDecimalMark(new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: 1 })),
    decimals: standard.resolvedOptions().maximumFractionDigits ?? 0,
  }
}

function splitFiat(format: CurrencyFormat, whole: string, fraction: string, sign: Sign): readonly MoneyPart[] {
  const parts = (sign === '' ? format.unsigned : format.signed).formatToParts(BigInt(whole))
  // Amounts that the user typed may have fewer decimals than the currency: 5 is written as $5.00.
  const decimals = fraction.padEnd(format.decimals, '0')
  const last = parts.findLastIndex(({ type }) => type === 'integer')
  return parts.flatMap(({ type, value }, index): readonly MoneyPart[] => {
    if (type === 'currency') return [{ kind: 'currency', text: value }]
    if (type === 'plusSign') return [{ kind: 'other', text: sign }]
    if (type !== 'integer' && type !== 'group') return [{ kind: 'other', text: value }]
    if (index !== last || decimals === '') return [{ kind: 'digits', text: value }]
    return [
      { kind: 'digits', text: value },
      { kind: 'fraction', text: `${format.decimalMark}${decimals}` },
    ]
  })
}

function findDecimalMark(format: Intl.NumberFormat): string {
  return format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
}

function splitDecimal(decimal: string): readonly [string, string] {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  return [whole, fraction]
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text)
}
