import type { Tx } from '../base/db.ts'
import { execute, raw, select, selectOne, selectValue } from '../base/sql.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'
import type { TransactionFacts } from '../transaction/store.ts'

/** To travel in the commit of its journal. */
export const payoutDocument = defineDocument('payouts', {
  environmentId: 'uuid',
  id: 'uuid',
  userId: 'uuid',
  toBookId: 'smallint',
  network: 'text',
  askedBy: 'uuid?',
  needsApproval: 'boolean',
  /** 2026-11-15, in the merchant's time zone. */
  day: 'date',
  notBefore: 'timestamptz?',
  heldUntil: 'timestamptz?',
  endedAt: 'timestamptz?',
  createdAt: 'timestamptz',
})

export type Payout = TransactionFacts &
  Omit<StoredRow<typeof payoutDocument>, 'network'> & { readonly toCurrency: string }

const payouts = `select p.id, p.environment_id as "environmentId", p.user_id as "userId", t.reference, t.status,
    t.book_id as "bookId", b.currency, t.amount, p.to_book_id as "toBookId", c.currency as "toCurrency",
    p.asked_by as "askedBy", p.needs_approval as "needsApproval", p.day::text, p.not_before as "notBefore",
    p.held_until as "heldUntil", p.ended_at as "endedAt", p.created_at as "createdAt"
  from payouts p
  join transactions t on t.environment_id = p.environment_id and t.id = p.id
  join ledger_books b on b.id = t.book_id
  join ledger_books c on c.id = p.to_book_id`

async function findPayout(tx: Tx, environmentId: string, by: { readonly id: string } | { readonly reference: string }) {
  return 'id' in by
    ? selectOne<Payout>(tx)`${raw(payouts)} where p.environment_id = ${environmentId} and p.id = ${by.id}`
    : selectOne<Payout>(tx)`${raw(payouts)} where p.environment_id = ${environmentId} and t.reference = ${by.reference}`
}

/** The same, locked until the end of the transaction: who ends it does so alone. */
export async function lockPayout(
  tx: Tx,
  environmentId: string,
  by: { readonly id: string } | { readonly reference: string },
): Promise<Payout | undefined> {
  const found = await findPayout(tx, environmentId, by)
  if (found === undefined) return undefined
  await execute(tx)`select from payouts where environment_id = ${environmentId} and id = ${found.id} for no key update`
  return findPayout(tx, environmentId, { id: found.id })
}

/** Those that wait, newest first. */
export async function listWaiting(tx: Tx, environmentId: string): Promise<Payout[]> {
  return select<Payout>(tx)`
    ${raw(payouts)} where p.environment_id = ${environmentId} and p.ended_at is null order by p.id desc limit 100`
}

export async function endPayout(tx: Tx, { environmentId, id }: Payout, at: Date): Promise<void> {
  await execute(tx)`update payouts set ended_at = ${at} where environment_id = ${environmentId} and id = ${id}`
}

export async function approve(tx: Tx, { environmentId, id }: Payout, by: string): Promise<void> {
  await execute(tx)`update payouts set approved_by = ${by} where environment_id = ${environmentId} and id = ${id}`
}

export type PayoutRules = {
  /** None: no cap. */
  readonly daily: bigint | null
  readonly approvalAbove: bigint | null
  readonly newRecipientHours: number
  /** The merchant's. */
  readonly today: string
}

export async function findRules(tx: Tx, environmentId: string, bookId: number, at: Date): Promise<PayoutRules> {
  const rules = await selectOne<PayoutRules>(tx)`
    select l.daily, l.approval_above as "approvalAbove",
        coalesce(e.new_recipient_hours, case e.mode when 'live' then 24 else 0 end) as "newRecipientHours",
        (${at}::timestamptz at time zone m.time_zone)::date::text as today
      from merchant_environments e join merchants m on m.id = e.merchant_id
      left join payout_limits l on l.environment_id = e.id and l.book_id = ${bookId} where e.id = ${environmentId}`
  if (rules === undefined) throw new Error('An environment is not there.')
  return rules
}

type Day = Pick<Payout, 'environmentId' | 'bookId' | 'day'>

/** Adds to what was paid out in a day, and tells the sum. Its row is locked until the end of the transaction. */
export async function addToDay(tx: Tx, { environmentId, bookId, day }: Day, amount: bigint): Promise<bigint> {
  const found = await selectValue<bigint>(tx)`
    insert into payout_days as d (environment_id, book_id, day, total)
      values (${environmentId}, ${bookId}, ${day}::date, ${amount})
      on conflict (environment_id, book_id, day) do update set total = d.total + excluded.total returning total`
  return found ?? 0n
}

/** Takes back what was cancelled. */
export async function takeFromDay(tx: Tx, { environmentId, bookId, day, amount }: Payout): Promise<void> {
  await execute(tx)`
    update payout_days set total = total - ${amount}
      where environment_id = ${environmentId} and book_id = ${bookId} and day = ${day}::date`
}

export async function hasPaid(tx: Tx, environmentId: string, userId: string): Promise<boolean> {
  const found = await selectValue<boolean>(tx)`
    select exists (select from payouts p join transactions t on t.environment_id = p.environment_id and t.id = p.id
      where p.environment_id = ${environmentId} and p.user_id = ${userId} and t.status = 'COMPLETED') as has`
  return found === true
}

/** What is not named stays as it was; null is none. */
export type Limits = {
  readonly daily?: bigint | null | undefined
  readonly approvalAbove?: bigint | null | undefined
  readonly newRecipientHours?: number | undefined
}

export async function saveLimits(tx: Tx, environmentId: string, bookId: number, limits: Limits): Promise<void> {
  const { daily, approvalAbove, newRecipientHours } = limits
  await execute(tx)`
    insert into payout_limits as l (environment_id, book_id, daily, approval_above)
      values (${environmentId}, ${bookId}, ${daily}, ${approvalAbove})
      on conflict (environment_id, book_id) do update set
        daily = case when ${daily !== undefined} then excluded.daily else l.daily end,
        approval_above =
          case when ${approvalAbove !== undefined} then excluded.approval_above else l.approval_above end`
  await execute(tx)`
    update merchant_environments set new_recipient_hours = coalesce(${newRecipientHours}, new_recipient_hours)
      where id = ${environmentId}`
}
