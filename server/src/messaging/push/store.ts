import type { Db, Pool, Tx } from '../../base/db.ts'
import { withUser } from '../../base/environment.ts'
import { execute, list, type RowOf, select, sql } from '../../base/sql.ts'
import { defineTable, type TableRow } from '../../base/table.ts'

// The inserts are in functions of the database: save_push_subscription and queue_pushes.
const pushSubscriptions = defineTable('push_subscriptions', {
  userId: sql.uuid,
  endpoint: sql.text,
  p256dh: sql.text,
  auth: sql.text,
})
const pushes = defineTable('pushes', {
  subscriptionId: sql.uuid,
  /** The object that the push is about. */
  aboutId: sql.uuid,
  userId: sql.uuid,
  /** JSON text. */
  payload: sql.text,
  expiresAt: sql.timestamptz,
})

export type Subscription = Pick<TableRow<typeof pushSubscriptions>, 'endpoint' | 'p256dh' | 'auth'>

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

type Push = Pick<TableRow<typeof pushes>, 'userId' | 'aboutId' | 'expiresAt'> & {
  readonly payload: Readonly<Record<string, string>>
}

/** Queues a push to each browser of the user, in the caller's transaction. */
export async function queuePush(tx: Tx, { userId, aboutId, payload, expiresAt }: Push, at: Date): Promise<void> {
  await execute(tx)`
    select queue_pushes(${userId}, ${aboutId}, ${JSON.stringify(payload)}, ${at}, ${expiresAt}, ${waitingMax})`
}

const dueColumns = list({
  ...pushes.columns(),
  ...pushSubscriptions.columns('', 'endpoint', 'p256dh', 'auth'),
  /** Whether the push is no longer needed. */
  isOver: sql.boolean`is_over`,
})
export type DuePush = RowOf<typeof dueColumns>

/** Claims due pushes for this worker until they are due again. */
export async function claimPushes(db: Db, at: Date, limit: number): Promise<DuePush[]> {
  return select(db)`select ${dueColumns} from claim_pushes(${at}, ${limit})`
}

export async function endPush(db: Db, { subscriptionId, aboutId }: DuePush): Promise<void> {
  await execute(db)`select end_push(${subscriptionId}, ${aboutId})`
}
