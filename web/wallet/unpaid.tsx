import type { ReactNode } from 'react'
import { Facts } from '../ui/facts.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import type { CoinDeposit, CoinDeposits, PaymentRequest, PaymentRequests } from './request-wallet.ts'
import { useKnown } from './known.ts'
import { Money, WayOn } from './parts.tsx'
import { Reference } from './reference.tsx'
import { type Address, Link } from './route.ts'
import { words } from './words.ts'

/** A payment that did not happen, for the list of activity. */
export type Unpaid = {
  readonly id: string
  readonly to: Address
  readonly name: string
  readonly reason: string
  readonly amount: string
  readonly currency: string
  readonly at: string
}

/** The latest payment requests and deposits that ended without a payment. */
export function useUnpaid(): readonly Unpaid[] {
  const { data: ended } = useKnown<PaymentRequests>('/wallet/payment-requests/unpaid')
  const { data: coins } = useKnown<CoinDeposits>('/wallet/deposits')
  const deposits = (coins?.deposits ?? []).filter(({ status }) => status === 'ended')
  return [...(ended?.requests ?? []).map(ofRequest), ...deposits.map(ofDeposit)]
}

function ofRequest({ id, merchant, ending, amount, currency, createdAt, endedAt }: PaymentRequest): Unpaid {
  return {
    id,
    to: `/pay/${id}`,
    name: merchant,
    reason: reasonOf(ending),
    amount,
    currency,
    at: endedAt ?? createdAt,
  }
}

function ofDeposit({ id, network, amount, currency, expiresAt }: CoinDeposit): Unpaid {
  const reason = words.unpaid.depositExpired
  return { id, to: `/deposit/${id}`, name: network, reason, amount, currency, at: expiresAt }
}

function reasonOf(ending: PaymentRequest['ending']): string {
  return words.unpaid[ending === '' ? 'expired' : ending]
}

export function UnpaidRow({ unpaid }: { readonly unpaid: Unpaid }): ReactNode {
  const { to, name, reason, amount, currency, at } = unpaid
  return (
    <Link className="wallet-move" to={to}>
      <span>
        <span className="wallet-move-name">{name}</span>
        <span className="soft">
          <strong>{reason}</strong>, <Moment at={at} />
        </span>
      </span>
      <del>
        <Money value={amount} code={currency} tone="soft" />
      </del>
    </Link>
  )
}

/** The record of a payment request that ended unpaid, with the reason. */
export function UnpaidRequest({ request }: { readonly request: PaymentRequest }): ReactNode {
  const { id, merchant, amount, currency, note, ending, createdAt, endedAt } = request
  const key = ending === '' ? 'expired' : ending
  return (
    <>
      <div role="status">
        <Notice>
          <strong>{words.unpaid[key]}</strong>
          <br />
          {words.unpaid.leads[key](merchant)}
        </Notice>
      </div>
      <p className="wallet-large">
        <Money value={amount} code={currency} size="large" tone="soft" />
      </p>
      <Facts
        rows={[
          [words.receipt.status, words.unpaid[key]],
          [words.receipt.deducted, <Money key="deducted" value="0" code={currency} />],
          [words.receipt.counterparty, merchant],
          ...(note === '' ? [] : [[words.receipt.note, note] as const]),
          [words.receipt.requestedAt, <Moment key="requested" at={createdAt} form="receipt" />],
          ...(endedAt === null
            ? []
            : [[words.receipt.endedAt, <Moment key="ended" at={endedAt} form="receipt" />] as const]),
          [words.receipt.reference, <Reference key="reference" id={id} />],
        ]}
      />
      <WayOn />
    </>
  )
}
