import type { ReactNode } from 'react'
import { Amount, type Currency, spokenAmount } from './amount.tsx'
import { perMille, shortDecimal, subtractDecimal } from './decimal.ts'
import { uiWords } from './words.ts'
import type { TicketWords } from './words-en.ts'
import type { TicketColours } from './ticket-head.tsx'
import { TicketPaper } from './ticket-paper.tsx'
import './ticket.css'

export type TicketState = keyof TicketWords['stamps']

type TicketProps = {
  /** The coloured head with the shop's name. */
  readonly head?: ReactNode
  readonly colours?: TicketColours | undefined
  /** tall: the stub is always below the body. */
  readonly shape?: 'ticket' | 'tall'
  /** Above the balance. */
  readonly heading: ReactNode
  readonly state: TicketState
  readonly balance: string
  readonly amount: string
  readonly currency: Currency
  /** What a sale is about to take. The bar shows it, and `after` says what remains. */
  readonly going?: string
  /** Opposite the balance. */
  readonly after?: ReactNode
  /** Below the bar, opposite the amount: how long the voucher is valid. */
  readonly validity?: ReactNode
  readonly code: string
  /** Only for imported gift cards. */
  readonly merchantCode: string
  readonly codeAct: ReactNode
  /** The QR code, or null at the till. A stamp replaces it when the voucher can no longer be used. */
  readonly qr: ReactNode
  readonly act: ReactNode
  readonly words?: Partial<TicketWords>
}

/** A voucher, drawn the same way in every app. */
export function Ticket(props: TicketProps): ReactNode {
  const { heading, state, currency } = props
  // Crypto amounts come with 18 decimals.
  const [balance, issued] = [shortDecimal(props.balance), shortDecimal(props.amount)]
  // A reload can raise the balance above what the voucher was sold with.
  const amount = subtractDecimal(issued, balance).startsWith('-') ? balance : issued
  const words = { ...uiWords().ticket, ...props.words }
  const body = (
    <div className="ticket" data-state={state}>
      {heading}
      <div className="ticket-left">
        <div className="ticket-line">
          <div className="ticket-balance">
            <p className="ticket-label">{state === 'expired' ? words.leftAtExpiry : words.left}</p>
            <div className="ticket-amount">
              <Amount value={balance} currency={currency} size="large" tone={state === 'open' ? 'plain' : 'soft'} />
            </div>
          </div>
          {props.after}
        </div>
        <TicketBar balance={balance} amount={amount} going={props.going} currency={currency} label={words.left} />
        <div className="ticket-line">
          <p className="ticket-label">
            {words.of} <Amount value={amount} currency={currency} />
          </p>
          {props.validity !== undefined && <p className="ticket-label">{props.validity}</p>}
        </div>
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
  return (
    <TicketPaper head={props.head} body={body} stub={stub} colours={props.colours} shape={props.shape ?? 'ticket'} />
  )
}

type TicketBarProps = Pick<TicketProps, 'balance' | 'amount' | 'currency'> & {
  readonly going: string | undefined
  readonly label: string
}

function TicketBar({ balance, amount, going = '0', currency, label }: TicketBarProps) {
  const share = perMille(balance, amount)
  const takes = Math.min(share, perMille(going, amount))
  const { balanceOfAmount } = uiWords().ticket
  return (
    <div
      className="ticket-bar"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={share}
      aria-valuetext={balanceOfAmount(spokenAmount(balance, currency), spokenAmount(amount, currency))}
    >
      <div className="ticket-bar-left" style={{ width: `${(share - takes) / 10}%` }} />
      {takes > 0 && (
        <div
          className="ticket-bar-going"
          style={{ insetInlineStart: `${(share - takes) / 10}%`, width: `${takes / 10}%` }}
        />
      )}
    </div>
  )
}

type TicketCodeProps = Pick<TicketProps, 'code' | 'merchantCode'> & { readonly name: string; readonly act: ReactNode }

function TicketCode({ code, merchantCode, name, act }: TicketCodeProps) {
  return (
    <div className="ticket-code-row">
      <div>
        <p className="ticket-label">{merchantCode === '' ? name : uiWords().ticket.codeAndShopCode(merchantCode)}</p>
        <TicketGroups code={code} />
      </div>
      {act}
    </div>
  )
}

/** The code in its groups. Lines break only between groups. */
export function TicketGroups({ code }: { readonly code: string }): ReactNode {
  const groups = code.split('-')
  return (
    <p className="ticket-code" translate="no">
      {groups.map((group, place) => (
        // Two groups may be equal, so the index is the key.
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
