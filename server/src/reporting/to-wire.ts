import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, pickCurrency } from '../catalogue/currency/store.ts'
import { toShownOnchain } from '../vouchers/voucher/onchain-page.ts'
import type { OnchainVoucher } from '../vouchers/voucher/onchain-store.ts'
import type { OwnVoucher } from '../vouchers/voucher/store.ts'
import { stateOfIssued } from './issued-store.ts'
import type { EventWithDeliveries, ShownJournal } from './payment.ts'
import type { PaymentRow } from './payments-store.ts'
import type { WireIssued, WireJournal, WirePayment, WirePaymentEvent } from './wire.ts'

export type Catalogue = readonly CatalogueCurrency[]

/** The dashboard gets amounts as text, since JavaScript numbers would lose digits. */
export function formatMinor(catalogue: Catalogue, minor: bigint, code: string): string {
  return formatMoney({ minor, currency: pickCurrency(catalogue, code, 'any') })
}

const directions: Record<PaymentRow['type'], WirePayment['direction']> = {
  VOUCHER_REDEMPTION: 'in',
  PAYMENT_REQUEST: 'in',
  WALLET_DEPOSIT: 'in',
  REFUND: 'out',
  PAYOUT: 'out',
  INVOICE_PAYMENT: 'out',
  VOUCHER_PURCHASE: 'out',
  ADJUSTMENT: 'none',
}

export function toWirePayment(catalogue: Catalogue, payment: PaymentRow): WirePayment {
  const { id, reference, type, status, currency, createdAt, settledBy, by, person } = payment
  const money = (minor: bigint): string => formatMinor(catalogue, minor, currency)
  const isSettled = status === 'COMPLETED' || status === 'REFUNDED'
  const hasEnded = status === 'FAILED' || status === 'CANCELED' || status === 'REVERSED'
  const fee = payment.fee ?? 0n
  return {
    id,
    reference,
    type,
    status: status === 'COMPLETED' && payment.refunded > 0n ? 'PARTIALLY_REFUNDED' : status,
    statusReason: payment.statusReason ?? '',
    currency,
    createdAt: createdAt.toISOString(),
    by,
    person,
    amount: money(payment.amount),
    charged: money(payment.charged),
    refunded: money(payment.refunded),
    moved: isSettled ? money(payment.credited ?? payment.amount) : '',
    fee: isSettled ? money(fee) : '',
    net: isSettled ? money(payment.credited ?? payment.charged - fee) : '',
    // The journal of a failed payment returned its money.
    settledAt: isSettled ? (settledBy === null ? createdAt : timeOfId(settledBy)).toISOString() : '',
    endedAt: hasEnded ? payment.updatedAt.toISOString() : '',
    codeTail: payment.codeTail ?? '',
    direction: directions[type],
  }
}

export function toWireIssued(
  catalogue: Catalogue,
  voucher: OwnVoucher,
  at: Date,
  onchain?: OnchainVoucher,
): WireIssued {
  const { id, currency, hasPin, recipient, recipientKind, batchId, expiresAt, createdAt, isDelivered } = voucher
  return {
    id,
    currency,
    hasPin,
    createdAt: createdAt.toISOString(),
    isDelivered,
    codeTail: voucher.codeTail ?? '',
    amount: formatMinor(catalogue, voucher.amount, currency),
    balance: formatMinor(catalogue, voucher.balance, currency),
    state: stateOfIssued(voucher, at),
    // For users the column holds an id, which is not shown.
    recipient: recipientKind === 'user' ? '' : recipient,
    batchId: batchId ?? '',
    expiresAt: expiresAt?.toISOString() ?? '',
    onchain: toShownOnchain(voucher.isOnchain, onchain, pickCurrency(catalogue, currency, 'any')),
  }
}

export function toWireJournal(catalogue: Catalogue, journal: ShownJournal): WireJournal {
  const { id, reference, kind, postedAt, transfers } = journal
  return {
    id,
    reference,
    kind,
    postedAt: postedAt.toISOString(),
    transfers: transfers.map((each) => ({ ...each, amount: formatMinor(catalogue, each.amount, each.currency) })),
  }
}

export function toWirePaymentEvent({ id, type, at, deliveries }: EventWithDeliveries): WirePaymentEvent {
  return {
    id,
    type,
    at: at.toISOString(),
    deliveries: deliveries.map(({ url, status, nextAttemptAt, attempts }) => ({
      url,
      status,
      nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
      attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    })),
  }
}
