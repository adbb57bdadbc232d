import { hash } from 'node:crypto'
import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireCurrency, wireMoney } from '../currency/wire.ts'
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
  const { id, userId, reference, metadata: metaData, amount } = transaction
  const { type, status, chargeType, createdAt, updatedAt } = transaction
  const facts = { id, userId, referenceId: reference, metaData, type, status, chargeType, createdAt, updatedAt }
  const { title, message } = words[type]
  return {
    ...facts,
    title,
    message: message(`${formatMoney({ minor: amount, currency })} ${currency.code}`),
    amount: wireMoney(amount, currency),
    chargedAmount: wireMoney(transaction.charged, currency),
    refundedAmount: wireMoney(transaction.refunded, currency),
    currency: toWireCurrency(currency, logoUrl),
    transactionHash: '',
    applicationName: platformName,
    referenceHash: hash('sha256', reference, 'hex'),
  }
}
