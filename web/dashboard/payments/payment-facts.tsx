import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { ExplorerLink } from '../../ui/explorer-link.tsx'
import type { OnePayment, Payout } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

export type Row = readonly [string, ReactNode]

/** The facts of a payment. Developers have no voucher screens, so their voucher is no link. */
export function factsOf({ payment, voucher, refundOf, price, payout }: OnePayment, canOpenVoucher: boolean): Row[] {
  const { reference, currency, person } = payment
  const rows: Row[] = [
    [words.payments.when, <When key="when" at={payment.createdAt} />],
    [words.payments.by, payment.by === '' ? words.payments.api : payment.by],
  ]
  if (person !== '') rows.push([words.payment.customer, person])
  if (voucher !== null) rows.push([words.payment.voucher, voucherFact(voucher, canOpenVoucher)])
  if (payout !== null) rows.push(...payoutFacts(payout))
  if (price !== null && price.receivedCurrency !== currency)
    rows.push([words.payment.received, <Money key="received" value={price.received} code={price.receivedCurrency} />])
  if (!isZero(payment.refunded))
    rows.push([words.payment.refundedSoFar, <Money key="refunded" value={payment.refunded} code={currency} />])
  if (refundOf !== null)
    rows.push([
      words.payment.refundOf,
      <Link key="of" to={`/payments/${encodeURIComponent(refundOf.reference)}`}>
        <Money value={refundOf.amount} code={currency} />
      </Link>,
    ])
  rows.push(...notesOf(payment.metadata))
  rows.push([words.payments.reference, <code key="reference">{reference}</code>])
  return rows
}

/** The address that was paid, and the transaction on its network. */
function payoutFacts({ recipient, recipientUrl, network, transactionHash, transactionUrl }: Payout): Row[] {
  const rows: Row[] = [[words.onchain.network, network]]
  if (recipient !== '')
    rows.push([words.onchain.paidTo, <ExplorerLink key="recipient" url={recipientUrl} name={recipient} />])
  if (transactionHash !== '')
    rows.push([
      words.onchain.transaction,
      <ExplorerLink key="transaction" url={transactionUrl} name={transactionHash} />,
    ])
  return rows
}

function voucherFact({ id, codeTail, isOwn }: NonNullable<OnePayment['voucher']>, canOpen: boolean): ReactNode {
  const tail = `··${codeTail}`
  if (!isOwn || !canOpen) return tail
  return (
    <Link key="voucher" to={`/vouchers/${id}`}>
      {tail}
    </Link>
  )
}

/** The metadata of a payment: the entries of a JSON object, or a text. */
function notesOf(metadata: string): Row[] {
  if (metadata.trim() === '') return []
  try {
    const notes: unknown = JSON.parse(metadata)
    if (typeof notes === 'object' && notes !== null)
      return Object.entries(notes).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ])
  } catch {
    // Not JSON: a text.
  }
  return [[words.payment.message, metadata]]
}
