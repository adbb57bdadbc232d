import type { CSSProperties } from 'react'
import './amount.css'
import { groupDecimal } from './decimal.ts'

export type Currency = { readonly abbreviation: string; readonly symbol: string; readonly name: string }

type AmountProps = {
  readonly value: string
  readonly currency: Currency
  readonly sign?: '+' | '−' | ''
  /** What the amount means for the reader: money in is green, money lost is red. */
  readonly tone?: 'plain' | 'in' | 'lost' | 'soft'
  /** The large one fills the width that it is given, however many digits it has. */
  readonly size?: 'text' | 'large'
}

/** An amount in tabular figures. A currency without a sign of its own, such as ETH, is named behind the figures. */
export function Amount({ value, currency, sign = '', tone = 'plain', size = 'text' }: AmountProps) {
  const figures = groupDecimal(value)
  const symbol = signOf(currency)
  const name = symbol === '' || size === 'large' ? currency.abbreviation : ''
  return (
    <span className="amount" data-tone={tone} data-size={size} style={widthInCharacters(figures, symbol, name)}>
      {sign}
      {symbol !== '' && <span className="amount-symbol">{symbol}</span>}
      {figures}
      {name !== '' && <abbr className="amount-name" title={currency.name}>{`\u00a0${name}`}</abbr>}
    </span>
  )
}

/** The same words for those who hear them. */
export function spokenAmount(value: string, currency: Currency): string {
  return `${groupDecimal(value)} ${currency.abbreviation}`
}

/** The same as text, for a sentence or a button: $12.50, or 0.5 ETH. */
export function writeAmount(value: string, currency: Currency): string {
  const symbol = signOf(currency)
  return symbol === '' ? `${groupDecimal(value)}\u00a0${currency.abbreviation}` : `${symbol}${groupDecimal(value)}`
}

function signOf({ symbol }: Currency): string {
  return /\p{Sc}/u.test(symbol) ? symbol : ''
}

function widthInCharacters(figures: string, symbol: string, name: string): CSSProperties {
  const characters = figures.length + symbol.length * 0.7 + (name.length + 1) * 0.4
  return { '--characters': characters } as CSSProperties
}
