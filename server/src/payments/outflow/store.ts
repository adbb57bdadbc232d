import type { Db, Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { listEnvironments } from '../../identity/merchant/store.ts'
import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import type { Mode } from '../../base/mode.ts'
import { documentOf } from '../../ledger/document.ts'
import type { OutflowRules } from './rules.ts'
import { outflowKinds } from './wire.ts'

export type OutflowKind = (typeof outflowKinds)[number]

/** The kind of the journal that sends an outflow. */
export const journalKinds: Readonly<Record<OutflowKind, string>> = {
  payout: 'payout',
  payout_batch: 'payout.batch',
  voucher: 'voucher.issue',
  batch: 'voucher.batch',
  replacement: 'voucher.replacement',
  invoice: 'invoice.pay',
  refund: 'deposit.refund',
}

const outcomes = ['done', 'cancelled'] as const
type Outcome = (typeof outcomes)[number]

const outflows = defineTable('outflows', {
  environmentId: sql.uuid,
  id: sql.uuid,
  kind: oneOf(outflowKinds),
  reference: sql.text,
  bookId: sql.smallint,
  amount: sql.numeric,
  homeAmount: sql.numeric,
  hour: sql.timestamptz,
  recipient: sql.text,
  requestedBy: orNull(sql.uuid),
  needsApproval: sql.boolean,
  notBefore: orNull(sql.timestamptz),
  heldUntil: sql.timestamptz,
  request: sql.text,
  createdAt: sql.timestamptz,
  isApproved: withDefault(sql.boolean),
  endedAt: withDefault(orNull(sql.timestamptz)),
  outcome: withDefault(orNull(oneOf(outcomes))),
})

/** Stored in the commit of the journal that holds its amount. */
export const outflowDocument = documentOf(outflows)

const outflowColumns = list({
  ...outflows.columns('o'),
  ...ledgerBooks.columns('b', 'currency'),
  /** The number of staff members who have approved it. */
  approvals: sql.integer`(select count(*)::integer from outflow_approvals a
      where a.environment_id = o.environment_id and a.outflow_id = o.id)`,
})
export type Outflow = RowOf<typeof outflowColumns>

const foundOutflows = sql`select ${outflowColumns} from outflows o join ledger_books b on b.id = o.book_id`

export type OutflowName = { readonly id: string } | { readonly reference: string }

export async function findOutflow(tx: Tx, environmentId: string, by: OutflowName): Promise<Outflow | undefined> {
  return 'id' in by
    ? selectOne(tx)`${foundOutflows} where o.environment_id = ${environmentId} and o.id = ${by.id}`
    : selectOne(tx)`
        ${foundOutflows} where o.environment_id = ${environmentId} and o.reference = ${by.reference}`
}

/** The same, locked until the transaction ends, so that only one transaction can end it. */
export async function lockOutflow(tx: Tx, environmentId: string, by: OutflowName): Promise<Outflow | undefined> {
  const found = await findOutflow(tx, environmentId, by)
  if (found === undefined) return undefined
  await execute(tx)`
    select from outflows where environment_id = ${environmentId} and id = ${found.id} for no key update`
  return findOutflow(tx, environmentId, { id: found.id })
}

/** Waiting outflows, newest first. */
export async function listWaiting(tx: Tx, environmentId: string, before: string, limit: number): Promise<Outflow[]> {
  return select(tx)`
    ${foundOutflows} where o.environment_id = ${environmentId} and o.ended_at is null and o.id < ${before}
      order by o.id desc limit ${limit}`
}

export async function endOutflow(tx: Tx, { environmentId, id }: Outflow, outcome: Outcome, at: Date): Promise<void> {
  await execute(tx)`
    update outflows set ended_at = ${at}, outcome = ${outcome} where environment_id = ${environmentId} and id = ${id}`
}

export async function markApproved(tx: Tx, { environmentId, id }: Outflow): Promise<void> {
  await execute(tx)`update outflows set is_approved = true where environment_id = ${environmentId} and id = ${id}`
}

const outflowApprovals = defineTable('outflow_approvals', {
  environmentId: sql.uuid,
  outflowId: sql.uuid,
  approvedBy: sql.uuid,
  createdAt: sql.timestamptz,
})

/** Returns false if this staff member has already approved it. */
export async function addApproval(tx: Tx, { environmentId, id }: Outflow, by: string, at: Date): Promise<boolean> {
  const approval = { environmentId, outflowId: id, approvedBy: by, createdAt: at }
  return executeOne(tx)`${insertInto(outflowApprovals, approval)} on conflict do nothing`
}

/** Active owners and accountants of the shop that an environment belongs to. */
export async function countApprovers(db: Db, environmentId: string): Promise<number> {
  const found = await selectValue(db)`
    select ${sql.integer`count(*)::integer`} from merchant_environments e
      join merchant_members b on b.merchant_id = e.merchant_id and b.role in ('owner', 'accountant')
      join users u on u.id = b.user_id and u.is_active where e.id = ${environmentId}`
  return found ?? 0
}

const outflowRules = defineTable('outflow_rules', {
  environmentId: sql.uuid,
  approvalAbove: orNull(sql.numeric),
  daily: orNull(sql.numeric),
  newRecipientHours: sql.integer,
})

const shopColumns = list({
  mode: oneOf<Mode>(['live', 'test'])`e.mode`,
  homeCurrency: sql.text`m.home_currency`,
  ...outflowRules.columns('r', 'approvalAbove', 'daily'),
  /** Null if the owner has set no rules. */
  newRecipientHours: orNull(outflowRules.types.newRecipientHours)`r.new_recipient_hours`,
})

export type LockedShop = {
  readonly mode: Mode
  readonly homeCurrency: string
  /** The owner's rules. Undefined: the defaults apply. */
  readonly rules: OutflowRules | undefined
}

/** Locks the shop until the transaction ends, so that outflows of an environment are decided one after the other. */
export async function lockShop(tx: Tx, environmentId: string): Promise<LockedShop> {
  await execute(tx)`select from merchant_environments where id = ${environmentId} for no key update`
  return readShop(tx, environmentId)
}

/** The same without the lock, for display. */
export async function readShop(tx: Tx, environmentId: string): Promise<LockedShop> {
  const row = await selectOne(tx)`
    select ${shopColumns} from merchant_environments e join merchants m on m.id = e.merchant_id
      left join outflow_rules r on r.environment_id = e.id where e.id = ${environmentId}`
  if (row === undefined) throw new Error('An environment is missing.')
  const { mode, homeCurrency, newRecipientHours, ...limits } = row
  return { mode, homeCurrency, rules: newRecipientHours === null ? undefined : { ...limits, newRecipientHours } }
}

export async function saveRules(tx: Tx, environmentId: string, rules: OutflowRules): Promise<void> {
  await execute(tx)`
    ${insertInto(outflowRules, { ...rules, environmentId })}
      on conflict (environment_id) do update set approval_above = excluded.approval_above, daily = excluded.daily,
        new_recipient_hours = excluded.new_recipient_hours`
}

/** Resets the rules to the defaults in both modes. */
export async function resetRules(pool: Pool, merchantId: string): Promise<void> {
  for (const id of await listEnvironments(pool, merchantId))
    await withEnvironment(pool, id, (tx) => execute(tx)`delete from outflow_rules where environment_id = ${id}`)
}

const hourMs = 3_600_000

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs)
}

/**
 * The total of outflows sent or waiting in the last 24 hours, in whole hours: up to an hour more, never less.
 * Includes older outflows that wait without needing an approval.
 */
export async function sumRollingDay(tx: Tx, environmentId: string, at: Date): Promise<bigint> {
  const since = startOfRollingDay(at)
  const found = await selectValue(tx)`
    select ${sql.numeric`(select coalesce(sum(total), 0) from outflow_hours
        where environment_id = ${environmentId} and hour >= ${since})
      + (select coalesce(sum(home_amount), 0) from outflows
        where environment_id = ${environmentId} and ended_at is null and hour < ${since}
          and (is_approved or not needs_approval))`}`
  return found ?? 0n
}

function startOfRollingDay(at: Date): Date {
  return hourOf(new Date(at.getTime() - 24 * hourMs))
}

/** True if the total of the rolling day includes this hour. */
export function isInRollingDay(hour: Date, at: Date): boolean {
  return hour >= startOfRollingDay(at)
}

const outflowHours = defineTable('outflow_hours', {
  environmentId: sql.uuid,
  hour: sql.timestamptz,
  total: sql.numeric,
})

export async function addToHour(tx: Tx, environmentId: string, hour: Date, amount: bigint): Promise<void> {
  await execute(tx)`
    ${insertInto(outflowHours, { environmentId, hour, total: amount }, 'h')}
      on conflict (environment_id, hour) do update set total = h.total + excluded.total`
}

/** Removes a canceled or failed outflow from its hour. */
export async function takeFromHour(
  tx: Tx,
  { environmentId, hour, homeAmount }: Pick<Outflow, 'environmentId' | 'hour' | 'homeAmount'>,
): Promise<void> {
  await execute(tx)`
    update outflow_hours set total = total - ${homeAmount} where environment_id = ${environmentId} and hour = ${hour}`
}
