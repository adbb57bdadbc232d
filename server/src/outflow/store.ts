import type { Db, Pool, Tx } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'
import type { OutflowRules } from './rules.ts'

/** The kind of the journal that sends an outflow. */
export const journalKinds: Readonly<Record<OutflowKind, string>> = {
  payout: 'payout',
  voucher: 'voucher.issue',
  batch: 'voucher.batch',
  replacement: 'voucher.replacement',
  invoice: 'invoice.pay',
  refund: 'deposit.refund',
}

export type OutflowKind = 'payout' | 'voucher' | 'batch' | 'replacement' | 'invoice' | 'refund'

/** Stored in the commit of the journal that holds its amount. */
export const outflowDocument = defineDocument('outflows', {
  environmentId: 'uuid',
  id: 'uuid',
  kind: 'text',
  reference: 'text',
  bookId: 'smallint',
  amount: 'numeric',
  homeAmount: 'numeric',
  hour: 'timestamptz',
  recipient: 'text',
  requestedBy: 'uuid?',
  needsApproval: 'boolean',
  notBefore: 'timestamptz?',
  heldUntil: 'timestamptz',
  request: 'text',
  createdAt: 'timestamptz',
})

export type Outflow = StoredRow<typeof outflowDocument> & {
  readonly kind: OutflowKind
  readonly currency: string
  readonly isApproved: boolean
  readonly endedAt: Date | null
  readonly outcome: 'done' | 'cancelled' | null
  /** The number of staff members who have approved it. */
  readonly approvals: number
}

const outflows =
  raw(`select o.environment_id as "environmentId", o.id, o.kind, o.reference, o.book_id as "bookId", b.currency,
    o.amount, o.home_amount as "homeAmount", o.hour, o.recipient, o.requested_by as "requestedBy",
    o.needs_approval as "needsApproval", o.is_approved as "isApproved", o.not_before as "notBefore",
    o.held_until as "heldUntil", o.request, o.ended_at as "endedAt", o.outcome, o.created_at as "createdAt",
    (select count(*)::integer from outflow_approvals a
      where a.environment_id = o.environment_id and a.outflow_id = o.id) as approvals
  from outflows o join ledger_books b on b.id = o.book_id`)

export type OutflowName = { readonly id: string } | { readonly reference: string }

export async function findOutflow(tx: Tx, environmentId: string, by: OutflowName): Promise<Outflow | undefined> {
  return 'id' in by
    ? selectOne<Outflow>(tx)`${outflows} where o.environment_id = ${environmentId} and o.id = ${by.id}`
    : selectOne<Outflow>(tx)`
        ${outflows} where o.environment_id = ${environmentId} and o.reference = ${by.reference}`
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
  return select<Outflow>(tx)`
    ${outflows} where o.environment_id = ${environmentId} and o.ended_at is null and o.id < ${before}
      order by o.id desc limit ${limit}`
}

export async function endOutflow(
  tx: Tx,
  { environmentId, id }: Outflow,
  outcome: 'done' | 'cancelled',
  at: Date,
): Promise<void> {
  await execute(tx)`
    update outflows set ended_at = ${at}, outcome = ${outcome} where environment_id = ${environmentId} and id = ${id}`
}

export async function markApproved(tx: Tx, { environmentId, id }: Outflow): Promise<void> {
  await execute(tx)`update outflows set is_approved = true where environment_id = ${environmentId} and id = ${id}`
}

/** Returns false if this staff member has already approved it. */
export async function addApproval(tx: Tx, { environmentId, id }: Outflow, by: string, at: Date): Promise<boolean> {
  return executeOne(tx)`
    insert into outflow_approvals (environment_id, outflow_id, approved_by, created_at)
      values (${environmentId}, ${id}, ${by}, ${at}) on conflict do nothing`
}

/** Active owners and accountants of the shop that an environment belongs to. */
export async function countApprovers(db: Db, environmentId: string): Promise<number> {
  const found = await selectValue<number>(db)`
    select count(*)::integer from merchant_environments e
      join merchant_members b on b.merchant_id = e.merchant_id and b.role in ('owner', 'accountant')
      join users u on u.id = b.user_id and u.is_active where e.id = ${environmentId}`
  return found ?? 0
}

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
  const row = await selectOne<{ mode: Mode; homeCurrency: string; isSet: boolean } & OutflowRules>(tx)`
    select e.mode, m.home_currency as "homeCurrency", r.environment_id is not null as "isSet",
        r.approval_above as "approvalAbove", r.daily, r.new_recipient_hours as "newRecipientHours"
      from merchant_environments e join merchants m on m.id = e.merchant_id
      left join outflow_rules r on r.environment_id = e.id where e.id = ${environmentId}`
  if (row === undefined) throw new Error('An environment is missing.')
  const { mode, homeCurrency, isSet, ...rules } = row
  return { mode, homeCurrency, rules: isSet ? rules : undefined }
}

export async function saveRules(tx: Tx, environmentId: string, rules: OutflowRules): Promise<void> {
  const { approvalAbove, daily, newRecipientHours } = rules
  await execute(tx)`
    insert into outflow_rules (environment_id, approval_above, daily, new_recipient_hours)
      values (${environmentId}, ${approvalAbove}, ${daily}, ${newRecipientHours})
      on conflict (environment_id) do update set approval_above = excluded.approval_above, daily = excluded.daily,
        new_recipient_hours = excluded.new_recipient_hours`
}

/** Resets the rules to the defaults in both modes. */
export async function resetRules(pool: Pool, merchantId: string): Promise<void> {
  const environments = await select<{ id: string }>(pool)`
    select id from merchant_environments where merchant_id = ${merchantId}`
  for (const { id } of environments)
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
  const found = await selectValue<bigint>(tx)`
    select (select coalesce(sum(total), 0) from outflow_hours
        where environment_id = ${environmentId} and hour >= ${since})
      + (select coalesce(sum(home_amount), 0) from outflows
        where environment_id = ${environmentId} and ended_at is null and hour < ${since}
          and (is_approved or not needs_approval)) as total`
  return found ?? 0n
}

function startOfRollingDay(at: Date): Date {
  return hourOf(new Date(at.getTime() - 24 * hourMs))
}

/** True if the total of the rolling day includes this hour. */
export function isInRollingDay(hour: Date, at: Date): boolean {
  return hour >= startOfRollingDay(at)
}

export async function addToHour(tx: Tx, environmentId: string, hour: Date, amount: bigint): Promise<void> {
  await execute(tx)`
    insert into outflow_hours as h (environment_id, hour, total) values (${environmentId}, ${hour}, ${amount})
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
