import { hash } from 'node:crypto'
import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireCurrency } from '../currency/wire.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { Transaction, TransactionType } from './store.ts'

export const wireTransaction = Type.Object({
  id: Type.String(),
  userId: Type.Union([Type.String(), Type.Null()]),
  referenceId: Type.String(),
  amount: Type.Number(),
  title: Type.String(),
  message: Type.String(),
  chargedAmount: Type.Number({ description: 'What the payer was charged in all' }),
  chargeType: Type.String(),
  type: Type.String(),
  status: Type.String(),
  currency: wireCurrency,
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  transactionHash: Type.String(),
  applicationName: Type.String(),
  referenceHash: Type.String({ description: 'SHA-256 of the reference' }),
  metaData: Type.String(),
  refundedAmount: Type.Number({ description: 'How much of the amount was given back' }),
})

const words: Record<TransactionType, { title: string; message: (amount: string) => string }> = {
  VOUCHER_REDEMPTION: { title: 'Voucher redemption', message: (amount) => `${amount} was redeemed from a voucher.` },
  ADJUSTMENT: {
    title: 'Adjustment',
    message: (amount) => `${amount} was moved because of a voucher that ended or was reopened.`,
  },
  PAYMENT_REQUEST: { title: 'Payment', message: (amount) => `${amount} was asked for in the wallet app.` },
  WALLET_DEPOSIT: { title: 'Deposit', message: (amount) => `${amount} was asked for onchain.` },
  PAYOUT: { title: 'Payout', message: (amount) => `${amount} is paid out to a wallet.` },
  INVOICE_PAYMENT: { title: 'Invoice paid', message: (amount) => `An invoice of ${amount} was paid by a voucher.` },
  REFUND: { title: 'Refund', message: (amount) => `${amount} was refunded.` },
  VOUCHER_PURCHASE: { title: 'Voucher issued', message: (amount) => `A voucher of ${amount} was issued.` },
}

export function toWireTransaction(
  transaction: Transaction,
  currency: CatalogueCurrency,
  { logoUrl, platformName }: { logoUrl: LogoUrl; platformName: string },
) {
  const { id, reference, type, status, chargeType, metadata, createdAt } = transaction
  const amount = formatMoney({ minor: transaction.amount, currency })
  const { title, message } = words[type]
  return {
    id,
    userId: transaction.userId,
    referenceId: reference,
    amount: exactNumber(amount),
    title,
    message: message(`${amount} ${currency.code}`),
    chargedAmount: exactNumber(formatMoney({ minor: transaction.charged, currency })),
    chargeType,
    type,
    status,
    currency: toWireCurrency(currency, logoUrl),
    createdAt: createdAt.toISOString(),
    updatedAt: transaction.updatedAt.toISOString(),
    transactionHash: '',
    applicationName: platformName,
    referenceHash: hash('sha256', reference, 'hex'),
    metaData: metadata,
    refundedAmount: exactNumber(formatMoney({ minor: transaction.refunded, currency })),
  }
}
