import Type from 'typebox'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { type Transaction } from './store.ts'
import { type TransactionType, transactionTypes } from './wire.ts'

/** What a merchant sees of its own transaction. Another merchant's event about the same voucher leaves these fields out. */
export const transactionDetails = {
  type: Type.Enum(transactionTypes, { description: 'As in verify-transaction' }),
  metadata: Type.String({ description: 'As you sent it, or the reason of a refund' }),
  userId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], { description: 'The user concerned, if any' }),
}

/** The fields of a transaction in event payloads. */
export const transactionPayload = {
  transactionId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
  ...transactionDetails,
  hash: Type.String({ description: 'The transaction on the network. Empty if there is none' }),
}

export type TransactionPayload = {
  readonly transactionId: string
  readonly reference: string
  readonly amount: string
  readonly currency: string
  readonly type: TransactionType
  readonly metadata: string
  readonly userId: string | null
  readonly hash: string
}

export function toTransactionPayload(
  { id, reference, amount, metadata, userId }: Pick<Transaction, 'id' | 'reference' | 'amount' | 'metadata' | 'userId'>,
  type: TransactionType,
  currency: CatalogueCurrency,
  hash = '',
): TransactionPayload {
  const money = { amount: formatMoney({ minor: amount, currency }), currency: currency.code }
  return { transactionId: id, reference, ...money, type, metadata, userId, hash }
}
