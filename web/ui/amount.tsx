import type { CSSProperties, ReactNode } from 'react'
import { isIsoCurrency } from '../../server/src/base/currency-symbol.ts'
import './amount.css'
import { groupDecimal, splitMoney } from './numbers.ts'
import type { MoneyPart, Sign } from './number-format.ts'

export type Currency = { readonly abbreviation: string; readonly symbol: string; readonly name: string }

type AmountProps = {
  readonly value: string
  readonly currency: Currency
  /** A minus for a negative value, unless the caller sets another sign. */
  readonly sign?: Sign
  /** Green for money received, red for money lost. */
  readonly tone?: 'plain' | 'in' | 'lost' | 'soft'
  /** The one dominant number of a screen: it fills the width of its container, whatever its number of digits. */
  readonly size?: 'text' | 'large'
  /** An amount about to be paid is all ink. Balances have a grey fraction. */
  readonly isDue?: boolean
}

/** An amount in tabular digits, with the currency where the user's locale writes it. */
export function Amount({
  value,
  currency,
  sign = signOf(value),
  tone = 'plain',
  size = 'text',
  isDue = false,
}: AmountProps): ReactNode {
  const parts = splitMoney(value, currency.abbreviation, sign)
  const isIso = isIsoCurrency(currency.abbreviation)
  return (
    <span
      className="amount"
      data-tone={tone}
      data-size={size}
      data-due={isDue || undefined}
      style={widthInCharacters(parts, isIso)}
    >
      {parts.map(({ kind, text }, index) => {
        // The order of the parts never changes for a currency.
        if (kind === 'fraction')
          return (
            <span className="amount-fraction" key={index}>
              {text}
            </span>
          )
        if (kind !== 'currency') return text
        return isIso ? (
          <span className="amount-symbol" key={index}>
            {text}
          </span>
        ) : (
          <abbr className="amount-name" title={currency.name} key={index}>
            {text}
          </abbr>
        )
      })}
    </span>
  )
}

/** The amount for screen readers, with the currency's code instead of its symbol: 12.50 USD. */
export function spokenAmount(value: string, currency: Currency): string {
  return `${signOf(value)}${groupDecimal(value)} ${currency.abbreviation}`
}

/** The amount as text, for a sentence or a button: $12.50, 12,50 € or 0.5 ETH. */
export function writeAmount(value: string, currency: Currency, sign: Sign = signOf(value)): string {
  return splitMoney(value, currency.abbreviation, sign)
    .map(({ text }) => text)
    .join('')
}

function signOf(value: string): Sign {
  return value.startsWith('-') ? '−' : ''
}

/** The large size sets a symbol at 0.7 em and the code of a crypto currency at 0.4 em. */
function widthInCharacters(parts: readonly MoneyPart[], isIso: boolean): CSSProperties {
  const widths = parts.map(({ kind, text }) => text.length * (kind !== 'currency' ? 1 : isIso ? 0.7 : 0.4))
  const characters = widths.reduce((sum, width) => sum + width, 0)
  return { '--characters': characters } as CSSProperties
}
