import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, pickCurrency } from '../currency/store.ts'
import { toShownOnchain } from '../voucher/onchain-page.ts'
import type { OnchainVoucher } from '../voucher/onchain-store.ts'
import type { OwnVoucher } from '../voucher/store.ts'
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
  const fee = payment.fee ?? 0n
  return {
    id,
    reference,
    type,
    status,
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
    settledAt: settledBy !== null ? timeOfId(settledBy).toISOString() : isSettled ? createdAt.toISOString() : '',
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

export function toWireJournal(catalogue: Catalogue, { id, kind, postedAt, transfers }: ShownJournal): WireJournal {
  return {
    id,
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
