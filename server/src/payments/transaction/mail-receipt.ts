import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { formatMoney } from '../../base/money.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { countMails, postMail, writeMail } from '../../mail/outbox.ts'
import type { Language } from '../../mail/words.ts'
import { findShop } from '../../identity/merchant/store.ts'
import { transactionError } from './errors.ts'
import { shortReference } from './short-reference.ts'
import { findTransaction } from './store.ts'
import { type TransactionType } from './wire.ts'

export type ReceiptInput = { readonly reference: string; readonly to: string; readonly language: Language | undefined }

export const receiptTypes: readonly TransactionType[] = ['VOUCHER_REDEMPTION', 'REFUND']
// Enough for two payers and some mistyped addresses. More would let merchants use receipts for bulk email.
const receiptsMax = 5

/** Emails a receipt of a redemption or a refund. */
export async function mailReceipt(
  { pool, newId }: PostTools,
  { environmentId, mode }: MerchantCaller,
  input: ReceiptInput,
): Promise<void> {
  await withEnvironment(pool, environmentId, async (tx) => {
    const found = await findTransaction(tx, environmentId, input.reference, 'for no key update of t')
    if (found === undefined) throw await explainMissing(tx, environmentId, input.reference)
    if (!receiptTypes.includes(found.type)) throw transactionError('RECEIPT_IMPOSSIBLE')
    if ((await countMails(tx, environmentId, found.id, 'receipt')) >= receiptsMax)
      throw transactionError('RECEIPTS_TOO_MANY')
    const currency = await findCurrency(tx, found.currency, 'any')
    const shop = await findShop(tx, environmentId)
    const money = (minor: bigint) => ({ amount: formatMoney({ minor, currency }), currency: currency.code })
    const content = {
      shop: shop.name,
      isRefund: found.type === 'REFUND',
      amount: money(found.amount),
      charges: money(found.charged - found.amount),
      total: money(found.charged),
      refunded: money(found.refunded),
      reference: writeReference(found.reference),
      moment: { at: found.createdAt.toISOString(), timeZone: shop.timeZone },
      mode,
    }
    const { to, language = shop.language } = input
    await postMail(tx, writeMail(newId, { environmentId, aboutId: found.id, to, language, kind: 'receipt', content }))
  })
}

async function explainMissing(tx: Tx, environmentId: string, reference: string): Promise<Error> {
  const archived = await findTransaction(tx, environmentId, reference)
  return transactionError(archived === undefined ? 'TRANSACTION_NOT_FOUND' : 'TRANSACTION_ARCHIVED')
}

/** The short reference as on the printed receipt, with the whole one, by which the shop finds the payment. */
function writeReference(reference: string): string {
  const short = shortReference(reference)
  return short === reference ? reference : `${short} (${reference})`
}
