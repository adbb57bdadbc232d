import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import { type CatalogueCurrency, pickCurrency } from '../currency/store.ts'
import type { OwnVoucher } from '../voucher/store.ts'
import { stateOfIssued } from './issued-store.ts'
import type { PaymentRow } from './payments-store.ts'

export type Catalogue = readonly CatalogueCurrency[]

/** Our own pages read amounts as text: a browser's numbers would lose digits. */
export function say(catalogue: Catalogue, minor: bigint, code: string): string {
  return formatMoney({ minor, currency: pickCurrency(catalogue, code, 'any') })
}

const directions: Record<PaymentRow['type'], 'in' | 'out' | 'none'> = {
  VOUCHER_REDEMPTION: 'in',
  PAYMENT_REQUEST: 'in',
  WALLET_DEPOSIT: 'in',
  REFUND: 'out',
  PAYOUT: 'out',
  INVOICE_PAYMENT: 'out',
  VOUCHER_PURCHASE: 'out',
  ADJUSTMENT: 'none',
}

export function toWirePayment(catalogue: Catalogue, payment: PaymentRow) {
  const { id, reference, type, status, currency, createdAt, settledBy, by, person } = payment
  const money = (minor: bigint): string => say(catalogue, minor, currency)
  const isSettled = status === 'COMPLETED' || status === 'REFUNDED'
  return {
    ...{ id, reference, type, status, currency, createdAt, by, person },
    amount: money(payment.amount),
    charged: money(payment.charged),
    refunded: money(payment.refunded),
    /** What came or went, on the day it settled; nothing has yet where that is empty. */
    moved: isSettled ? money(payment.credited ?? payment.amount) : '',
    settledAt: settledBy !== null ? timeOfId(settledBy).toISOString() : isSettled ? createdAt.toISOString() : '',
    codeTail: payment.codeTail ?? '',
    direction: directions[type],
  }
}

export function toWireIssued(catalogue: Catalogue, voucher: OwnVoucher, at: Date) {
  const { id, currency, hasPin, recipient, recipientKind, batchId, expiresAt, createdAt, isDelivered } = voucher
  return {
    ...{ id, currency, hasPin, createdAt, isDelivered },
    codeTail: voucher.codeTail ?? '',
    amount: say(catalogue, voucher.amount, currency),
    balance: say(catalogue, voucher.balance, currency),
    state: stateOfIssued(voucher, at),
    // A person is known by his address, and not by an id.
    recipient: recipientKind === 'user' ? '' : recipient,
    batchId: batchId ?? '',
    expiresAt: expiresAt?.toISOString() ?? '',
  }
}
