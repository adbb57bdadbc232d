import { type ReactNode, useId } from 'react'
import { writeAmount } from '../ui/amount.tsx'
import { shortDecimal } from '../ui/decimal.ts'
import { Money, useFindCurrency } from './money.tsx'
import './pay.css'
import type { Offer } from './request-wallet.ts'
import { words } from './words.ts'

type PayFromProps = {
  readonly offers: readonly Offer[]
  /** The code of the chosen currency. */
  readonly value: string
  readonly isDisabled: boolean
  readonly onChoose: (code: string) => void
}

/** The balances that the user can pay from, each with the price in its currency. */
export function PayFrom({ offers, value, isDisabled, onChoose }: PayFromProps): ReactNode {
  return (
    <fieldset className="pay-from" disabled={isDisabled}>
      <legend>{words.pay.from}</legend>
      {offers.map((offer) => (
        <Option key={offer.from} offer={offer} isChosen={offer.from === value} onChoose={() => onChoose(offer.from)} />
      ))}
    </fieldset>
  )
}

type OptionProps = { readonly offer: Offer; readonly isChosen: boolean; readonly onChoose: () => void }

function Option({ offer, isChosen, onChoose }: OptionProps) {
  const id = useId()
  const currency = useFindCurrency()(offer.from)
  const { available, isEnough, pays, from } = offer
  const text = isEnough ? words.pay.available : words.pay.notEnough
  return (
    <div className="pay-option" data-chosen={isChosen || undefined}>
      <span className="avatar pay-option-symbol" aria-hidden="true">
        {symbolOf(currency.symbol, from)}
      </span>
      <div>
        <label htmlFor={id}>{currency.name}</label>
        <p className="soft">{text(writeAmount(shortDecimal(available), currency))}</p>
      </div>
      <strong>
        <Money value={pays} code={from} />
      </strong>
      <input
        id={id}
        type="radio"
        name="pay-from"
        value={from}
        checked={isChosen}
        disabled={!isEnough}
        onChange={onChoose}
      />
    </div>
  )
}

/** A symbol of up to two characters, or the first letters of the code. */
function symbolOf(symbol: string, code: string): string {
  return symbol.length <= 2 ? symbol : code.slice(0, 3)
}
