import type { Db, Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { Pool } from '../base/db.ts'
import { execute, selectOne, selectValue } from '../base/sql.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { ledgerError } from '../ledger/errors.ts'
import type { Posted } from '../ledger/journal.ts'
import { findAnswer, findPosted, findRecords } from '../ledger/store.ts'
import { referenceKey } from './reference.ts'

type Claimer = Pick<MerchantCaller, 'environmentId' | 'hasSecret'>

/** A visitor's claim is recorded under a name of its own, so that the ledger's name of the reference stays the shop's. */
function visitorKey(environmentId: string, reference: string): string {
  return `visitor/${environmentId}/${reference}`
}

/** Under which name a request for money is posted. */
export function claimKey({ environmentId, hasSecret }: Claimer, reference: string): string {
  return hasSecret ? referenceKey(environmentId, reference) : visitorKey(environmentId, reference)
}

/**
 * What was posted for this reference, by the shop or by a visitor, if it was the same request. The shop does not get a visitor's claim
 * that has ended without value: it can have the reference.
 */
export async function findClaim(
  pool: Pool,
  { environmentId, hasSecret }: Claimer,
  reference: string,
  asked: string,
): Promise<Posted | undefined> {
  const own = await findPosted(pool, referenceKey(environmentId, reference), asked)
  if (own !== undefined) return own
  const [record] = await findRecords(pool, [visitorKey(environmentId, reference)])
  const answer = findAnswer(record, asked)
  if (!hasSecret && answer === 'conflict') throw ledgerError('LEDGER_KEY_CONFLICT')
  if (answer === undefined || answer === 'conflict') return undefined
  if (hasSecret && !(await isOpen(pool, environmentId, answer.journalId))) return undefined
  return answer
}

async function isOpen(pool: Pool, environmentId: string, id: string): Promise<boolean> {
  const status = await withEnvironment(
    pool,
    environmentId,
    (tx: Db) => selectValue<string>(tx)`
      select status from transactions where environment_id = ${environmentId} and id = ${id}`,
  )
  return status !== 'CANCELED' && status !== 'FAILED'
}

type Claim = { readonly id: string; readonly type: string; readonly reference: string }

/** A visitor's claim of a reference, locked until the end of the transaction. */
export async function lockClaim(tx: Tx, environmentId: string, reference: string): Promise<Claim | undefined> {
  return selectOne<Claim>(tx)`
    select id, type, reference from transactions
      where environment_id = ${environmentId} and reference = ${reference} and by_public_key
      for no key update`
}

/** Its own id keeps the new name apart from any that a shop may choose. */
export async function renameTransaction(tx: Tx, environmentId: string, { id, reference }: Claim): Promise<void> {
  const name = `${reference.slice(0, 90)}~${id}`
  await execute(tx)`
    update transactions set reference = ${name} where environment_id = ${environmentId} and id = ${id}`
}
