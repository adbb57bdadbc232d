import type { Db, Tx } from '../../base/db.ts'
import type { Due } from '../../base/jobs.ts'
import { type Fragment, oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { execute, executeOne, list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { chainAddresses, chainPayments } from '../../chain/store.ts'
import { documentOf } from '../../ledger/document.ts'
import { isNamed, transactionFacts, transactions } from '../transaction/store.ts'
import { caseKinds, type caseStates } from './wire.ts'

const deposits = defineTable('deposits', {
  environmentId: sql.uuid,
  /** The user whose wallet is credited. Null: the merchant's balance. */
  userId: orNull(sql.uuid),
  id: sql.uuid,
  networkId: sql.uuid,
  address: sql.text,
  token: sql.text,
  unit: sql.numeric,
  payBookId: sql.smallint,
  toDeposit: sql.numeric,
  charge: sql.numeric,
  gas: sql.numeric,
  gasInCoin: sql.numeric,
  coinBookId: orNull(sql.smallint),
  rateNumerator: sql.numeric,
  rateDenominator: sql.numeric,
  tolerance: sql.numeric,
  expiresAt: sql.timestamptz,
  paid: withDefault(sql.numeric),
  credited: withDefault(sql.numeric),
  swapped: withDefault(sql.numeric),
  endedAt: withDefault(orNull(sql.timestamptz)),
})

export const depositDocument = documentOf(deposits)
export const addressDocument = documentOf(chainAddresses)

const depositFields = {
  ...deposits.columns('d'),
  ...transactionFacts,
  payCurrency: sql.text`c.currency`,
  network: sql.text`n.abbreviation`,
  networkName: sql.text`n.name`,
  chainId: sql.bigint`n.chain_id`,
  explorerUrl: sql.text`n.explorer_url`,
}
const depositColumns = list(depositFields)
export type Deposit = RowOf<typeof depositColumns>

// The transaction, books and network of a deposit `d`.
const joined = sql`join all_transactions t on t.environment_id = d.environment_id and t.id = d.id
  join ledger_books b on b.id = t.book_id
  join ledger_books c on c.id = d.pay_book_id
  join networks n on n.id = d.network_id`
const foundDeposits = sql`select ${depositColumns} from deposits d ${joined}`

/** A deposit of the environment that the transaction acts for. */
export async function findDeposit(
  tx: Tx,
  by: { readonly id: string } | { readonly environmentId: string; readonly reference: string },
): Promise<Deposit | undefined> {
  return 'id' in by
    ? selectOne(tx)`${foundDeposits} where d.id = ${by.id}`
    : selectOne(tx)`${foundDeposits} where ${isNamed(by.environmentId, by.reference)}`
}

/** The same, locked until the transaction ends. */
export async function lockDeposit(tx: Tx, id: string): Promise<Deposit | undefined> {
  await execute(tx)`select from deposits where id = ${id} for no key update`
  return findDeposit(tx, { id })
}

const walletColumns = list({
  ...depositFields,
  /** Payments in its currency, including late ones: in any block (`seen`), and booked in the ledger (`final`). */
  seen: sql.numeric`p.seen * d.unit`,
  final: sql.numeric`p.final * d.unit`,
})
export type WalletDeposit = RowOf<typeof walletColumns>

/** The deposits of a user, or one of them, newest first. */
export async function listWalletDeposits(tx: Tx, userId: string, id?: string): Promise<WalletDeposit[]> {
  return select(tx)`
    select ${walletColumns}
      from (select * from deposits where user_id = ${userId} and (${id}::uuid is null or id = ${id})
        order by id desc limit 20) d ${joined}
      cross join lateral (
        select coalesce(sum(amount), 0) as seen,
          coalesce(sum(amount) filter (where booked_at is not null), 0) as final
        from chain_payments where owner_id = d.id and token = d.token and gone_at is null) p
      order by d.id desc`
}

/** The number of open deposits of a user, whom the caller has locked. */
export async function countOpen(tx: Tx, userId: string): Promise<number> {
  return execute(tx)`select from deposits where user_id = ${userId} and ended_at is null`
}

export async function findDepositOwner(db: Db, id: string): Promise<string | undefined> {
  return (await selectValue(db)`select ${orNull(sql.uuid)`deposit_owner(${id})`}`) ?? undefined
}

type Progress = Pick<Deposit, 'paid' | 'credited' | 'swapped' | 'endedAt'>

export async function saveProgress(tx: Tx, id: string, { paid, credited, swapped, endedAt }: Progress): Promise<void> {
  await execute(tx)`
    update deposits set paid = ${paid}, credited = ${credited}, swapped = ${swapped}, ended_at = ${endedAt}
      where id = ${id}`
}

export async function moveExpiry(tx: Tx, id: string, expiresAt: Date): Promise<void> {
  await execute(tx)`update deposits set expires_at = ${expiresAt} where id = ${id}`
}

/** Marks a credited deposit's address for a sweep to the treasury. */
export async function wantSweep(tx: Tx, id: string, at: Date): Promise<void> {
  await execute(tx)`
    update chain_addresses a set wanted_at = ${at}, repeats = 0 from deposits d
      where d.id = ${id} and a.network_id = d.network_id and a.address = d.address`
}

const dueColumns = list(deposits.columns('d', 'environmentId', 'id'))

/** Deposits that expired before a final block, so that no payment in time can still appear. */
export async function listDue(
  db: Db,
  network: string,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<Due[]> {
  return select(db)`
    select ${dueColumns} from networks n, due_deposits(n.id, ${at}, ${resting}, ${limit}) d
      where n.abbreviation = ${network}`
}

export async function findTolerance(db: Db, environmentId: string): Promise<bigint> {
  const ppm = await selectValue(db)`
    select ${sql.integer`deposit_tolerance_ppm`} from merchant_environments where id = ${environmentId}`
  return BigInt(ppm ?? 0)
}

export async function setTolerance(db: Db, environmentId: string, ppm: number): Promise<void> {
  await execute(db)`update merchant_environments set deposit_tolerance_ppm = ${ppm} where id = ${environmentId}`
}

const paymentColumns = list({
  ...chainPayments.columns('p', 'id', 'txHash', 'logIndex', 'ownerId', 'address', 'token', 'amount', 'blockNumber'),
  ...chainPayments.columns('p', 'minedAt', 'isCounted'),
  network: sql.text`n.abbreviation`,
})
export type Payment = RowOf<typeof paymentColumns>

const seenPayments = sql`select ${paymentColumns} from chain_payments p join networks n on n.id = p.network_id`
const payments = sql`${seenPayments}
  join chain_finality f on f.network_id = p.network_id and p.block_number <= f.number`

/** Payments seen in a block and not yet compared with the market. */
export async function listUnpriced(db: Db, resting: readonly string[], limit: number): Promise<Payment[]> {
  return select(db)`
    ${seenPayments} where p.priced_at is null and p.gone_at is null and p.id <> all(${resting}::uuid[])
      order by p.id limit ${limit}`
}

/** Returns false if another worker was first. */
export async function markPriced(tx: Tx, { id }: Payment, at: Date): Promise<boolean> {
  return executeOne(tx)`update chain_payments set priced_at = ${at} where id = ${id} and priced_at is null`
}

/** The sum of earlier payments, each of which keeps the price at which it was seen. */
export async function sumPriced(tx: Tx, { id, token, unit }: Deposit, { id: paymentId }: Payment): Promise<bigint> {
  const amount = await selectValue(tx)`
    select ${sql.numeric`coalesce(sum(amount), 0)`} from chain_payments
      where owner_id = ${id} and token = ${token} and priced_at is not null and gone_at is null and id <> ${paymentId}`
  return (amount ?? 0n) * unit
}

type DepositPrice = Pick<Deposit, 'toDeposit' | 'rateNumerator' | 'rateDenominator'>

export async function savePrice(tx: Tx, id: string, price: DepositPrice): Promise<void> {
  const { toDeposit, rateNumerator, rateDenominator } = price
  await execute(tx)`
    update deposits set to_deposit = ${toDeposit}, rate_numerator = ${rateNumerator}, rate_denominator = ${rateDenominator}
      where id = ${id}`
}

/** Final payments that are not booked yet. */
export async function listUnbooked(db: Db, resting: readonly string[], limit: number): Promise<Payment[]> {
  return select(db)`
    ${payments} where p.booked_at is null and p.gone_at is null and p.id <> all(${resting}::uuid[])
      order by p.network_id, p.block_number, p.log_index limit ${limit}`
}

/** Booked payments that a reorganisation removed for good. */
export async function listUndone(db: Db, resting: readonly string[], limit: number): Promise<Payment[]> {
  return select(db)`
    ${payments} where p.booked_at is not null and p.gone_at is not null and p.id <> all(${resting}::uuid[])
      order by p.network_id, p.block_number limit ${limit}`
}

/**
 * Marks the payment booked; returns its booking count, or undefined if already booked or its block changed. Unknown
 * tokens count 0.
 */
export async function markBooked(
  tx: Tx,
  { id, blockNumber }: Payment,
  isCounted: boolean,
  isKnown: boolean,
  at: Date,
): Promise<number | undefined> {
  return selectValue(tx)`
    update chain_payments set booked_at = ${at}, bookings = bookings + ${isKnown ? 1 : 0}, is_counted = ${isCounted}
      where id = ${id} and booked_at is null and gone_at is null and block_number = ${blockNumber}
      returning ${chainPayments.types.bookings`bookings`}`
}

export async function markUnbooked(tx: Tx, { id }: Payment): Promise<number | undefined> {
  return selectValue(tx)`
    update chain_payments set booked_at = null
      where id = ${id} and booked_at is not null and gone_at is not null
      returning ${chainPayments.types.bookings`bookings`}`
}

const chainBookings = defineTable('chain_bookings', {
  paymentId: sql.uuid,
  journalId: sql.uuid,
  bookId: sql.smallint,
  amount: sql.numeric,
  /** The journal that reversed it. */
  undoneBy: withDefault(orNull(sql.uuid)),
})

/** Links a journal to its payment. PostgreSQL refuses a second open booking of the same payment. */
export async function addBooking(
  tx: Tx,
  { id: paymentId }: Payment,
  booking: { readonly journalId: string; readonly bookId: number; readonly amount: bigint },
): Promise<void> {
  await execute(tx)`${insertInto(chainBookings, { ...booking, paymentId })}`
}

/** Links the journal that reverses the booking of a payment. */
export async function undoBooking(tx: Tx, { id }: Payment, journalId: string): Promise<void> {
  await execute(tx)`
    update chain_bookings set undone_by = ${journalId} where payment_id = ${id} and undone_by is null`
}

const depositCases = defineTable('deposit_cases', {
  environmentId: sql.uuid,
  id: sql.uuid,
  depositId: sql.uuid,
  kind: oneOf(caseKinds),
  bookId: sql.smallint,
  amount: sql.numeric,
  openedAt: sql.timestamptz,
  resolvedAt: withDefault(orNull(sql.timestamptz)),
  resolution: withDefault(sql.text),
  /** The transaction that staff matched it to. */
  matchedTo: withDefault(orNull(sql.uuid)),
})

export const caseDocument = documentOf(depositCases)

const caseColumns = list({
  ...depositCases.columns('k'),
  ...transactions.columns('t', 'reference'),
  ...ledgerBooks.columns('b', 'currency'),
  /** The reference of the transaction that it was matched to. */
  matchedReference: sql.text`coalesce((select m.reference from all_transactions m
    where m.environment_id = k.environment_id and m.id = k.matched_to), '')`,
  /** The merchant's own deposit, or a user's. */
  isOfUser: sql.boolean`(select d.user_id is not null from deposits d where d.id = k.deposit_id)`,
})
export type Case = RowOf<typeof caseColumns>
export type CaseKind = Case['kind']

const cases = sql`select ${caseColumns}
  from deposit_cases k
  join all_transactions t on t.environment_id = k.environment_id and t.id = k.deposit_id
  join ledger_books b on b.id = k.book_id`

/** Newest first. Those to review, those that were resolved, or all. */
export async function listCases(
  tx: Tx,
  environmentId: string,
  state: CaseState | undefined,
  before: string,
  limit: number,
): Promise<Case[]> {
  return select(tx)`
    ${cases} where k.environment_id = ${environmentId} and k.id < ${before} and ${conditionOf(state)}
      order by k.id desc limit ${limit}`
}

export type CaseState = (typeof caseStates)[number]

/** Written out, so that each list reads an index of its own. */
function conditionOf(state: CaseState | undefined): Fragment {
  if (state === undefined) return raw('true')
  return raw(state === 'open' ? 'k.resolved_at is null' : 'k.resolved_at is not null')
}

export async function findCase(tx: Tx, id: string): Promise<Case | undefined> {
  return selectOne(tx)`${cases} where k.id = ${id}`
}

/** The same, locked until the transaction ends. */
export async function lockCase(tx: Tx, id: string): Promise<Case | undefined> {
  await execute(tx)`select from deposit_cases where id = ${id} for no key update`
  return findCase(tx, id)
}

/** Reduces an open unmatched deposit by a reversed payment, or closes it. Returns false if none is open. */
export async function dropCase(tx: Tx, depositId: string, bookId: number, amount: bigint, at: Date): Promise<boolean> {
  return executeOne(tx)`
    update deposit_cases set amount = case when amount > ${amount} then amount - ${amount} else amount end,
        resolved_at = case when amount = ${amount} then ${at}::timestamptz end,
        resolution = case when amount = ${amount} then 'undone' else '' end
      where id = (
        select id from deposit_cases where deposit_id = ${depositId} and book_id = ${bookId} and amount >= ${amount}
          and resolved_at is null order by amount limit 1)`
}

const paidColumns = list(
  chainPayments.columns('p', 'id', 'txHash', 'token', 'amount', 'minedAt', 'goneAt', 'isCounted'),
)
export type DepositPayment = RowOf<typeof paidColumns>

/** The payments to the address of a deposit, as they were mined. */
export async function listPayments(tx: Tx, depositId: string): Promise<DepositPayment[]> {
  return select(tx)`
    select ${paidColumns} from chain_payments p where p.owner_id = ${depositId} order by p.mined_at, p.id limit 100`
}

export async function markMatched(tx: Tx, id: string, transactionId: string): Promise<void> {
  await execute(tx)`update deposit_cases set matched_to = ${transactionId} where id = ${id}`
}

export async function resolve(tx: Tx, id: string, resolution: string, at: Date): Promise<void> {
  await execute(tx)`update deposit_cases set resolved_at = ${at}, resolution = ${resolution} where id = ${id}`
}
