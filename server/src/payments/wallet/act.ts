import type { Tx } from '../../base/db.ts'
import { actForUser } from '../../base/environment.ts'
import { type NewId, timeOfId } from '../../base/id.ts'
import { nameOf } from '../../ledger/account.ts'
import type { Posted, Posting } from '../../ledger/journal.ts'
import { once, postNew } from '../../ledger/once.ts'
import { toApiError } from '../transaction/reference.ts'
import { firstIdAt } from '../transaction/store.ts'
import { confirmAct, type PinTools } from '../../identity/user/pin.ts'
import type { Signed } from '../../identity/user/session.ts'
import { lockUser, type User } from '../../identity/user/store.ts'
import { walletError } from './errors.ts'
import { findDailyLimit, sumLeft, walletAccount } from './store.ts'

export type ActTools = PinTools & { readonly newId: NewId }

/** The user who acts, in a session or through the sandbox. */
export type Actor = Signed | { readonly user: User; readonly isSandbox: true }

export type Act = {
  readonly kind: string
  /** Unique forever. */
  readonly key: string
  readonly requestFingerprint: string
  readonly pin?: string | undefined
  /** The journal's id, if it was chosen before. */
  readonly id?: string
  /** Builds the posting while the user is locked. `id` is the journal's id. */
  readonly build: (tx: Tx, user: User, id: string) => Promise<Posting>
}

/**
 * Performs a user's action with their own money: once, confirmed, within the daily limit, one at a time. A retry returns the recorded
 * result before any rule is checked, including the PIN.
 */
export async function performAct(tools: ActTools, actor: Actor, act: Act): Promise<Posted> {
  const { key, requestFingerprint, kind } = act
  const identity = { key, requestFingerprint }
  try {
    return await once(tools, identity, {
      retell: (posted) => posted,
      prepare: async () => {
        if (!('isSandbox' in actor)) await confirmAct(tools, actor, act.pin)
        return {
          lock: async (tx) => {
            await actForUser(tx, actor.user.id)
            return lockUser(tx, actor.user.id)
          },
          post: async (tx, user) => {
            const id = act.id ?? tools.newId()
            const posting = await act.build(tx, user, id)
            await checkLimit(tx, user, id, posting)
            return postNew(tx, { id, kind, ...identity, alternatives: [posting] }, tools)
          },
        }
      },
    })
  } catch (error) {
    throw toApiError(error, 'Idempotency-Key', (cause) => walletError('WALLET_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** Refuses transfers to others beyond the daily limit. Exchanges don't count towards it. */
async function checkLimit(
  tx: Tx,
  { id, level }: User,
  journalId: string,
  { transfers, documents = [] }: Posting,
): Promise<void> {
  if (documents.some(({ row }) => row.kind === 'exchanged')) return
  // The day of the journal's id, by which it is counted later. That day may have ended during the wait for the lock.
  const madeAt = timeOfId(journalId)
  const midnight = new Date(Date.UTC(madeAt.getUTCFullYear(), madeAt.getUTCMonth(), madeAt.getUTCDate()))
  for (const { from, amount } of transfers) {
    if (nameOf(from) !== nameOf(walletAccount(id, from.bookId))) continue
    const limit = await findDailyLimit(tx, from.bookId, level)
    if (limit !== undefined && (await sumLeft(tx, id, from.bookId, firstIdAt(midnight))) + amount > limit)
      throw walletError('WALLET_LIMIT', { param: 'amount' })
  }
}
