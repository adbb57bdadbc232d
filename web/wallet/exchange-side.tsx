import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { describeField, FieldNotes } from '../ui/field.tsx'
import './exchange.css'
import { words } from './words.ts'

type ExchangeSideProps = {
  readonly label: string
  readonly typed: string
  readonly error: string
  /** Whether the server is computing this side. */
  readonly isLoading: boolean
  readonly onType: (typed: string) => void
  /** The label of the list of currencies. */
  readonly currencyLabel: string
  readonly currency: string
  /** Pairs of code and name. */
  readonly currencies: readonly (readonly [string, string])[]
  readonly onChoose: (code: string) => void
  readonly children?: ReactNode
}

/** One side of an exchange: an amount and its currency. */
export function ExchangeSide(props: ExchangeSideProps): ReactNode {
  const { label, typed, error, isLoading, onType, currencyLabel, currency, currencies, onChoose, children } = props
  const id = useId()
  return (
    <div className="field">
      <div className="exchange-side">
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        <input
          id={id}
          className="exchange-amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder={isLoading ? words.oneMoment : '0'}
          aria-busy={isLoading}
          value={typed}
          {...describeField(id, '', error)}
          onChange={(event) => onType(event.target.value)}
        />
        <span className="exchange-currency">
          <span aria-hidden="true">{currency}</span>
          <ChevronDown aria-hidden="true" />
          {/* Invisible above the code, so that the list has names and the box is short. */}
          <select aria-label={currencyLabel} value={currency} onChange={(event) => onChoose(event.target.value)}>
            {currencies.map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </span>
        {children}
      </div>
      <FieldNotes id={id} hint="" error={error} />
    </div>
  )
}
