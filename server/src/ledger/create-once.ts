import type { Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { PostTools } from './batch.ts'
import type { Journal } from './journal.ts'
import { postNew } from './once.ts'
import { findPosted } from './store.ts'

/** The claim of an idempotency key. Its kind starts with "claim.". */
type Claim = Pick<Journal, 'kind' | 'key' | 'requestFingerprint'>
type Created = { readonly id: string; readonly replayed: boolean }

/**
 * Creates an object that moves no money once per key, in one commit with the claim of the key. A retry returns the id of the first
 * request; another request with the key is a conflict. Without a claim every call creates an object.
 */
export async function createOnce(
  tools: PostTools,
  environmentId: string,
  claim: Claim | undefined,
  create: (tx: Tx, id: string) => Promise<void>,
): Promise<Created> {
  const known = claim && (await findCreated(tools, claim))
  if (known !== undefined) return known
  try {
    return await withEnvironment(tools.pool, environmentId, async (tx) => {
      const id = tools.newId()
      await create(tx, id)
      if (claim === undefined) return { id, replayed: false }
      await postNew(tx, { id, ...claim, alternatives: [{ transfers: [] }] }, tools)
      return { id, replayed: false }
    })
  } catch (error) {
    // Of two concurrent requests the second fails on a row of the first, such as the email address of a customer.
    const first = claim && (await findCreated(tools, claim))
    if (first === undefined) throw error
    return first
  }
}

async function findCreated({ pool }: PostTools, { key, requestFingerprint }: Claim): Promise<Created | undefined> {
  const posted = await findPosted(pool, key, requestFingerprint)
  return posted && { id: posted.journalId, replayed: true }
}
