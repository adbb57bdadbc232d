import { dbError, inTransaction, type Tx } from '../base/db.ts'
import { type BatchTools, type PostTools, postWithin } from './batch.ts'
import type { Journal, Posted } from './journal.ts'
import { findPosted } from './store.ts'

/** An idempotency key, and the fingerprint of the request that uses it. */
export type Identity = Pick<Journal, 'key' | 'requestFingerprint'>

/** The transaction of a request. */
type Locked<Lock, Result> = {
  /** Acts for the owner and locks what the rules depend on, so that requests are decided one after the other. */
  readonly lock: (tx: Tx) => Promise<Lock>
  /** Checks the rules, posts with postNew and returns the result. */
  readonly post: (tx: Tx, lock: Lock) => Promise<Result>
}

type Once<Lock, Result> = {
  /** Finds the journal of an earlier request. By default that of the key. */
  readonly find?: () => Promise<Posted | undefined>
  /** The result of an earlier request. No rule is checked: it may have changed since. */
  readonly retell: (posted: Posted) => Result | Promise<Result>
  /** Checks what needs no lock, and returns the transaction. */
  readonly prepare: () => Locked<Lock, Result> | Promise<Locked<Lock, Result>>
}

/**
 * Does something once per key. A retry returns the first result before any rule is checked. Of concurrent requests with the
 * same key, the second waits for the lock and then returns the result of the first.
 */
export async function once<Lock, Result>(
  { pool }: Pick<PostTools, 'pool'>,
  identity: Identity,
  { find, retell, prepare }: Once<Lock, Result>,
): Promise<Result> {
  const known = await (find === undefined ? findPosted(pool, identity.key, identity.requestFingerprint) : find())
  if (known !== undefined) return retell(known)
  const { lock, post } = await prepare()
  const outcome = await inTransaction(pool, async (tx) => {
    const locked = await lock(tx)
    const meanwhile = await findPosted(tx, identity.key, identity.requestFingerprint)
    return meanwhile === undefined ? { result: await post(tx, locked) } : { meanwhile }
  })
  return 'result' in outcome ? outcome.result : retell(outcome.meanwhile)
}

/**
 * Posts a journal whose key was new when the caller looked. If another request has posted it since, the whole transaction
 * starts again, and then finds it: nothing that the caller wrote for its own request remains.
 */
export async function postNew(tx: Tx, journal: Journal, tools: BatchTools): Promise<Posted> {
  const posted = await postWithin(tx, journal, tools)
  if (posted.replayed) throw dbError('TRANSACTION_AGAIN')
  return posted
}
