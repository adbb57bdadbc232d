import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import { findExpiredTo } from '../../identity/merchant/store.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posted } from '../../ledger/journal.ts'
import { findPosted } from '../../ledger/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { readExpiry } from '../voucher/expiry.ts'
import type { Issuer, IssueTools } from '../voucher/issue.ts'
import { printRules, readRules, type RulesInput } from '../voucher/read-rules.ts'
import { writeRules } from '../voucher/rules.ts'
import { type Batch, batchDocument, findBatch } from './store.ts'

export type CardsInput = {
  readonly size: number
  /** Major units, as printed on each card. Undefined: the sale decides. */
  readonly amount: string | undefined
  readonly currency: string
  readonly expires: string | undefined
  readonly reference: string
  readonly rules: RulesInput | undefined
}

/**
 * Creates a batch of cards that are worthless until they are sold. Nothing is paid and nothing leaves a balance, so it needs no
 * approval. A worker makes the cards.
 */
export async function createCards(
  tools: IssueTools,
  issuer: Issuer,
  input: CardsInput,
): Promise<{ readonly batch: Batch; readonly replayed: boolean }> {
  const { environmentId, mode } = issuer
  const { size, reference, expires, amount: text } = input
  const currency = await findCurrency(tools.pool, input.currency, 'any')
  const minor = text === undefined ? undefined : parseMoney(text, currency).minor
  const key = referenceKey(environmentId, reference)
  const wanted = [currency.code, String(minor ?? ''), size, expires ?? '', ...printRules(input.rules)]
  const requestFingerprint = JSON.stringify(['voucher.cards', ...wanted])
  try {
    const known = await findPosted(tools.pool, key, requestFingerprint)
    if (known !== undefined) return await readCards(tools, issuer, known)
    pickCurrency([currency], currency.code)
    if (text !== undefined) refuseDust(parseAmount(text, currency), currency)
    const expiresAt = await readExpiry(tools, issuer, expires)
    const rules = await readRules(tools, issuer, input.rules, { currency, expiresAt, isOnchain: false })
    const id = tools.newId()
    const row = batchDocument({
      environmentId,
      id,
      reference,
      bookId: await ensureBook(tools.pool, mode, currency.code),
      size,
      amount: minor,
      total: 0n,
      onlyAt: [environmentId],
      expiresAt,
      expiredTo: await findExpiredTo(tools.pool, environmentId),
      createdAt: timeOfId(id),
      isInactive: true,
      rules: writeRules(rules),
    })
    const alternatives = [{ transfers: [], documents: [row] }] as const
    const posted = await tools.ledger.post({ id, kind: 'claim.voucher_cards', key, requestFingerprint, alternatives })
    return await readCards(tools, issuer, posted)
  } catch (error) {
    throw toApiError(error, 'referenceId')
  }
}

async function readCards(
  { pool }: IssueTools,
  { environmentId }: Issuer,
  { journalId, replayed }: Posted,
): Promise<{ readonly batch: Batch; readonly replayed: boolean }> {
  const batch = await withEnvironment(pool, environmentId, (tx) => findBatch(tx, environmentId, journalId))
  if (batch === undefined) throw new Error('A batch of cards is missing.')
  return { batch, replayed }
}
