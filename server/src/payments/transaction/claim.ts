import type { Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { execute, list, type RowOf, selectOne, selectValue, sql } from '../../base/sql.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { ledgerError } from '../../ledger/errors.ts'
import type { Posted } from '../../ledger/journal.ts'
import { findAnswer, findRecords } from '../../ledger/store.ts'
import { referenceKey } from './reference.ts'
import { isNamed, transactions } from './store.ts'

type Claimer = Pick<MerchantCaller, 'environmentId' | 'hasSecret'>

/** Claims by public key have their own ledger key, so that the reference itself stays available to the shop. */
function visitorKey(environmentId: string, reference: string): string {
  return `visitor/${environmentId}/${reference}`
}

/** The ledger key of a payment or deposit request. */
export function claimKey({ environmentId, hasSecret }: Claimer, reference: string): string {
  return hasSecret ? referenceKey(environmentId, reference) : visitorKey(environmentId, reference)
}

/**
 * The journal of the same request with this reference, made by the shop or by a visitor with the public key. For the
 * shop, a visitor's claim that ended without payment does not count: the shop can use the reference.
 */
export async function findClaim(
  pool: Pool,
  { environmentId, hasSecret }: Claimer,
  reference: string,
  requestFingerprint: string,
): Promise<Posted | undefined> {
  const keys = [referenceKey(environmentId, reference), visitorKey(environmentId, reference)]
  const [owner, visitor] = await findRecords(pool, keys)
  // The reference of a visitor's claim is registered for the claim.
  const own = owner?.journalId === visitor?.journalId ? undefined : findAnswer(owner, requestFingerprint)
  if (own === 'conflict') throw ledgerError('LEDGER_KEY_CONFLICT')
  if (own !== undefined) return own
  const found = findAnswer(visitor, requestFingerprint)
  if (!hasSecret && found === 'conflict') throw ledgerError('LEDGER_KEY_CONFLICT')
  if (found === undefined || found === 'conflict') return undefined
  if (hasSecret && !(await isOpen(pool, environmentId, found.journalId))) return undefined
  return found
}

async function isOpen(pool: Pool, environmentId: string, id: string): Promise<boolean> {
  const status = await withEnvironment(
    pool,
    environmentId,
    (tx) => selectValue(tx)`
      select ${sql.text`status`} from all_transactions where environment_id = ${environmentId} and id = ${id}`,
  )
  return status !== 'CANCELED' && status !== 'FAILED'
}

const claimColumns = list(transactions.columns('t', 'id', 'type', 'reference'))
type Claim = RowOf<typeof claimColumns>

/** A visitor's claim of a reference, locked until the transaction ends. */
export async function lockClaim(tx: Tx, environmentId: string, reference: string): Promise<Claim | undefined> {
  return selectOne(tx)`
    select ${claimColumns} from transactions t
      where t.environment_id = ${environmentId} and ${isNamed(environmentId, reference)} and t.by_public_key
      for no key update`
}

/** Frees a reference for the shop. The id keeps the new name distinct from any that a shop may choose. */
export async function renameTransaction(tx: Tx, environmentId: string, { id, reference }: Claim): Promise<void> {
  const name = `${reference.slice(0, 90)}~${id}`
  await execute(tx)`
    update transactions set reference = ${name} where environment_id = ${environmentId} and id = ${id}`
}
