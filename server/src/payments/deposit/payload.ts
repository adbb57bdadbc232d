import type { Tx } from '../../base/db.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { toTransactionPayload, type TransactionPayload } from '../transaction/events.ts'
import { findReceipts } from '../transaction/receipts.ts'
import type { Deposit } from './store.ts'

/** The event payload of a deposit, with the hash of its first payment. The transaction acts for its environment. */
export async function toDepositPayload(tx: Tx, deposit: Deposit): Promise<TransactionPayload> {
  const currency = await findCurrency(tx, deposit.currency, 'any')
  const receipt = (await findReceipts(tx, [deposit.id])).get(deposit.id)
  return toTransactionPayload(deposit, 'WALLET_DEPOSIT', currency, receipt?.hash ?? '')
}
