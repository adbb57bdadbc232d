import Type from 'typebox'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import type { TransactionFacts } from './store.ts'

/** What events tell of a transaction. */
export const toldTransaction = {
  transactionId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export function toToldTransaction(
  { id, reference, amount }: Pick<TransactionFacts, 'id' | 'reference' | 'amount'>,
  currency: CatalogueCurrency,
) {
  return { transactionId: id, reference, amount: formatMoney({ minor: amount, currency }), currency: currency.code }
}
