import type { ReactNode } from 'react'
import { Facts } from '../ui/facts.tsx'
import { Moment } from '../ui/moment.tsx'
import { Notice } from '../ui/notice.tsx'
import { Money } from './money.tsx'
import { WayOn } from './parts.tsx'
import { Reference } from './reference.tsx'
import type { PaymentRequest } from './request-wallet.ts'
import { words } from './words.ts'

/** The record of a payment request that ended unpaid, with the reason. */
export function UnpaidRequest({ request }: { readonly request: PaymentRequest }): ReactNode {
  const { id, merchant, amount, currency, note, ending, createdAt, endedAt } = request
  const key = ending === '' ? 'expired' : ending
  return (
    <>
      <div className="pay-amount">
        <Money value={amount} code={currency} size="large" tone="soft" />
      </div>
      <div role="status">
        <Notice>
          <strong>{words.unpaid[key]}</strong>
          <p>{words.unpaid.leads[key](merchant)}</p>
        </Notice>
      </div>
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
