import type { Db, Pool, Tx } from '../base/db.ts'
import { withUser } from '../base/environment.ts'
import { execute, select } from '../base/sql.ts'

export type Subscription = { readonly endpoint: string; readonly p256dh: string; readonly auth: string }

const subscriptionsMax = 10
// Queued pushes of one user, across all browsers.
const waitingMax = 30

export async function saveSubscription(
  db: Db,
  id: string,
  userId: string,
  { endpoint, p256dh, auth }: Subscription,
  at: Date,
): Promise<void> {
  await execute(db)`
    select save_push_subscription(${id}, ${userId}, ${endpoint}, ${p256dh}, ${auth}, ${at}, ${subscriptionsMax})`
}

/** Also removes its queued pushes. */
export async function removeSubscription(pool: Pool, userId: string, endpoint: string): Promise<void> {
  await withUser(
    pool,
    userId,
    (tx) => execute(tx)`delete from push_subscriptions where user_id = ${userId} and endpoint = ${endpoint}`,
  )
}

type Push = {
  readonly userId: string
  /** The object that the push is about. */
  readonly aboutId: string
  readonly payload: Readonly<Record<string, string>>
  readonly expiresAt: Date
}

/** Queues a push to each browser of the user, in the caller's transaction. */
export async function queuePush(tx: Tx, { userId, aboutId, payload, expiresAt }: Push, at: Date): Promise<void> {
  await execute(tx)`
    select queue_pushes(${userId}, ${aboutId}, ${JSON.stringify(payload)}, ${at}, ${expiresAt}, ${waitingMax})`
}

export type DuePush = Subscription & {
  readonly subscriptionId: string
  readonly aboutId: string
  readonly userId: string
  /** JSON text. */
  readonly payload: string
  readonly expiresAt: Date
  /** Whether the push is no longer needed. */
  readonly isOver: boolean
}

/** Claims due pushes for this worker until they are due again. */
export async function claimPushes(db: Db, at: Date, limit: number): Promise<DuePush[]> {
  return select<DuePush>(db)`
    select subscription_id as "subscriptionId", about_id as "aboutId", user_id as "userId", payload,
        expires_at as "expiresAt", is_over as "isOver", endpoint, p256dh, auth
      from claim_pushes(${at}, ${limit})`
}

export async function endPush(db: Db, { subscriptionId, aboutId }: DuePush): Promise<void> {
  await execute(db)`select end_push(${subscriptionId}, ${aboutId})`
}
