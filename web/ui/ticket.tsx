import type { ReactNode } from 'react'
import { Amount, type Currency, spokenAmount } from './amount.tsx'
import { perMille } from './decimal.ts'
import { TicketPaper } from './ticket-paper.tsx'
import './ticket.css'

export type TicketState = 'open' | 'used up' | 'expired'

type TicketProps = {
  readonly heading: ReactNode
  readonly state: TicketState
  readonly balance: string
  readonly amount: string
  readonly currency: Currency
  readonly code: string
  /** The shop's own code, for a gift card that it brought along. */
  readonly merchantCode: string
  readonly codeAct: ReactNode
  /** The QR code, and the act that belongs to it. A stamp takes the place of a code that nobody should scan. At a till there is none. */
  readonly qr: ReactNode
  readonly act: ReactNode
  /** In another language. */
  readonly words?: TicketWords
}
type TicketWords = {
  readonly left: string
  readonly of: string
  readonly code: string
  readonly stamps: Readonly<Record<TicketState, string>>
}
const english: TicketWords = {
  left: 'Left to spend',
  of: 'of',
  code: 'Code',
  stamps: { open: '', 'used up': 'used up', expired: 'expired' },
}

/** A voucher, as it looks wherever it appears. */
export function Ticket(props: TicketProps) {
  const { heading, state, balance, amount, currency, words = english } = props
  const body = (
    <div className="ticket" data-state={state}>
      {heading}
      <div className="ticket-left">
        <p className="ticket-label">{state === 'expired' ? 'Left when it expired' : words.left}</p>
        <div className="ticket-amount">
          <Amount value={balance} currency={currency} size="large" tone={state === 'open' ? 'plain' : 'soft'} />
        </div>
        <TicketBar balance={balance} amount={amount} currency={currency} />
        <p className="ticket-label">
          {words.of} <Amount value={amount} currency={currency} />
        </p>
      </div>
      <TicketCode code={props.code} merchantCode={props.merchantCode} name={words.code} act={props.codeAct} />
    </div>
  )
  const stub = (
    <div className="ticket-scan">
      {state === 'open' ? (
        props.qr !== null && <div className="ticket-qr">{props.qr}</div>
      ) : (
        <TicketStamp state={state} name={words.stamps[state]} />
      )}
      {state === 'open' && props.act}
    </div>
  )
  return <TicketPaper body={body} stub={stub} />
}

function TicketBar({ balance, amount, currency }: Pick<TicketProps, 'balance' | 'amount' | 'currency'>) {
  const share = perMille(balance, amount)
  return (
    <div
      className="ticket-bar"
      role="meter"
      aria-label="Left of the voucher"
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={share}
      aria-valuetext={`${spokenAmount(balance, currency)} of ${spokenAmount(amount, currency)}`}
    >
      <div className="ticket-bar-left" style={{ width: `${share / 10}%` }} />
    </div>
  )
}

type TicketCodeProps = { code: string; merchantCode: string; name: string; act: ReactNode }

function TicketCode({ code, merchantCode, name, act }: TicketCodeProps) {
  return (
    <div className="ticket-code-row">
      <div>
        <p className="ticket-label">{merchantCode === '' ? name : `${name}, with shop code ${merchantCode}`}</p>
        <TicketGroups code={code} />
      </div>
      {act}
    </div>
  )
}

/** The code in its groups. A line breaks between them and never inside one. */
export function TicketGroups({ code }: { readonly code: string }) {
  const groups = code.split('-')
  return (
    <p className="ticket-code" translate="no">
      {groups.map((group, place) => (
        // Two groups may be equal, and their places never change.
        <span className="ticket-group" key={place}>
          {group}
          {place < groups.length - 1 && <span className="ticket-dash">-</span>}
        </span>
      ))}
    </p>
  )
}

function TicketStamp({ state, name }: { readonly state: TicketState; readonly name: string }) {
  return (
    <div className="ticket-stamp-place">
      <p className="ticket-stamp" data-state={state}>
        {name}
      </p>
    </div>
  )
}
