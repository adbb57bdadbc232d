import { inTransaction, type Tx } from '../base/db.ts'
import { actForUser } from '../base/environment.ts'
import { type NewId, timeOfId } from '../base/id.ts'
import { nameOf } from '../ledger/account.ts'
import { postWithin } from '../ledger/batch.ts'
import type { Posted, Posting } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { retell } from '../transaction/reference.ts'
import { firstIdAt } from '../transaction/store.ts'
import { confirmAct, type PinTools } from '../user/pin.ts'
import type { Signed } from '../user/session.ts'
import { lockPerson, type Person } from '../user/store.ts'
import { walletError } from './errors.ts'
import { findDailyLimit, sumLeft, walletAccount } from './store.ts'

export type ActTools = PinTools & { readonly newId: NewId }

/** Who does it, and how he has shown that it is he. */
export type Actor = Signed | { readonly person: Person; readonly isSandbox: true }

export type Act = {
  readonly kind: string
  /** Unique for ever. */
  readonly key: string
  readonly asked: string
  readonly pin?: string | undefined
  /** Of the journal, where what is posted was prepared before. */
  readonly id?: string
  /** What is posted, under the lock of the person and of whatever else it locks itself. `id` is the journal's. */
  readonly build: (tx: Tx, person: Person, id: string) => Promise<Posting>
}

/**
 * What a person does with the own money: once, confirmed, within the limits of a day, one thing after another. A repeat is answered
 * before any rule is asked, the pin included.
 */
export async function performAct(tools: ActTools, actor: Actor, act: Act): Promise<Posted> {
  const { key, asked, kind } = act
  const { id: userId } = actor.person
  try {
    const known = await findPosted(tools.pool, key, asked)
    if (known !== undefined) return known
    if (!('isSandbox' in actor)) await confirmAct(tools, actor, act.pin)
    return await inTransaction(tools.pool, async (tx) => {
      await actForUser(tx, userId)
      const person = await lockPerson(tx, userId)
      const meanwhile = await findPosted(tx, key, asked)
      if (meanwhile !== undefined) return meanwhile
      const id = act.id ?? tools.newId()
      const posting = await act.build(tx, person, id)
      await checkLimit(tx, person, id, posting)
      return postWithin(tx, { id, kind, key, asked, alternatives: [posting] }, tools)
    })
  } catch (error) {
    throw retell(error, 'Idempotency-Key', (cause) => walletError('WALLET_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** What leaves for others, and what is left of the day's limit. To change one's own money into another is no leaving. */
async function checkLimit(tx: Tx, { id, level }: Person, journalId: string, { transfers, documents = [] }: Posting) {
  if (documents.some(({ row }) => row.kind === 'exchanged')) return
  // Of the day in which it will be found again, which is that of its id and may have ended while it waited for the lock.
  const madeAt = timeOfId(journalId)
  const midnight = new Date(Date.UTC(madeAt.getUTCFullYear(), madeAt.getUTCMonth(), madeAt.getUTCDate()))
  for (const { from, amount } of transfers) {
    if (nameOf(from) !== nameOf(walletAccount(id, from.bookId))) continue
    const limit = await findDailyLimit(tx, from.bookId, level)
    if (limit !== undefined && (await sumLeft(tx, id, from.bookId, firstIdAt(midnight))) + amount > limit)
      throw walletError('WALLET_LIMIT', { param: 'amount' })
  }
}
