import type { Db, Tx } from '../base/db.ts'
import type { Due } from '../base/jobs.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'
import { defineDocument, type StoredRow } from '../ledger/document.ts'
import type { TransactionFacts } from '../transaction/store.ts'

export const depositDocument = defineDocument('deposits', {
  environmentId: 'uuid',
  /** The user whose wallet is credited. Null: the merchant's balance. */
  userId: 'uuid?',
  id: 'uuid',
  networkId: 'uuid',
  address: 'text',
  token: 'text',
  unit: 'numeric',
  payBookId: 'smallint',
  toDeposit: 'numeric',
  charge: 'numeric',
  gas: 'numeric',
  gasInCoin: 'numeric',
  coinBookId: 'smallint?',
  rateNumerator: 'numeric',
  rateDenominator: 'numeric',
  tolerance: 'numeric',
  expiresAt: 'timestamptz',
})

export const addressDocument = defineDocument('chain_addresses', {
  networkId: 'uuid',
  address: 'text',
  ownerId: 'uuid',
  salt: 'text',
})

export const caseDocument = defineDocument('deposit_cases', {
  environmentId: 'uuid',
  id: 'uuid',
  depositId: 'uuid',
  kind: 'text',
  bookId: 'smallint',
  amount: 'numeric',
  openedAt: 'timestamptz',
})

export type Deposit = TransactionFacts &
  StoredRow<typeof depositDocument> & {
    readonly payCurrency: string
    readonly network: string
    readonly networkName: string
    readonly chainId: bigint
    readonly explorerUrl: string
    readonly paid: bigint
    readonly credited: bigint
    readonly swapped: bigint
    readonly endedAt: Date | null
  }

const deposits =
  raw(`select d.id, d.environment_id as "environmentId", d.user_id as "userId", t.reference, t.status, t.book_id as "bookId",
    b.currency, t.amount, t.metadata, t.created_at as "createdAt", d.network_id as "networkId", n.abbreviation as network,
    n.name as "networkName", n.chain_id as "chainId", n.explorer_url as "explorerUrl", d.address, d.token, d.unit,
    d.pay_book_id as "payBookId", c.currency as "payCurrency", d.to_deposit as "toDeposit", d.charge,
    d.gas, d.gas_in_coin as "gasInCoin", d.coin_book_id as "coinBookId",
    d.rate_numerator as "rateNumerator", d.rate_denominator as "rateDenominator", d.tolerance, d.paid, d.credited,
    d.swapped, d.expires_at as "expiresAt", d.ended_at as "endedAt"
  from deposits d
  join transactions t on t.environment_id = d.environment_id and t.id = d.id
  join ledger_books b on b.id = t.book_id
  join ledger_books c on c.id = d.pay_book_id
  join networks n on n.id = d.network_id`)

/** A deposit of the environment that the transaction acts for. */
export async function findDeposit(
  tx: Tx,
  by: { readonly id: string } | { readonly reference: string },
): Promise<Deposit | undefined> {
  return 'id' in by
    ? selectOne<Deposit>(tx)`${deposits} where d.id = ${by.id}`
    : selectOne<Deposit>(tx)`${deposits} where t.reference = ${by.reference}`
}

/** The same, locked until the transaction ends. */
export async function lockDeposit(tx: Tx, id: string): Promise<Deposit | undefined> {
  await execute(tx)`select from deposits where id = ${id} for no key update`
  return findDeposit(tx, { id })
}

export type WalletDeposit = Deposit & {
  /** Payments in its currency, including late ones: in any block (`seen`), and booked in the ledger (`final`). */
  readonly seen: bigint
  readonly final: bigint
}

/** The deposits of a user, or one of them, newest first. */
export async function listWalletDeposits(tx: Tx, userId: string, id?: string): Promise<WalletDeposit[]> {
  return select<WalletDeposit>(tx)`
    select w.*, p.seen * w.unit as seen, p.final * w.unit as final
      from (${deposits} where d.user_id = ${userId} and (${id}::uuid is null or d.id = ${id})
        order by d.id desc limit 20) w
      cross join lateral (
        select coalesce(sum(amount), 0) as seen,
          coalesce(sum(amount) filter (where booked_at is not null), 0) as final
        from chain_payments where owner_id = w.id and token = w.token and gone_at is null) p
      order by w.id desc`
}

/** The number of open deposits of a user, whom the caller has locked. */
export async function countOpen(tx: Tx, userId: string): Promise<number> {
  return execute(tx)`select from deposits where user_id = ${userId} and ended_at is null`
}

export async function findDepositOwner(db: Db, id: string): Promise<string | undefined> {
  return (await selectValue<string | null>(db)`select deposit_owner(${id}) as owner`) ?? undefined
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

/** Deposits that expired before a final block, so that no payment in time can still appear. */
export async function listDue(
  db: Db,
  network: string,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<Due[]> {
  return select<Due>(db)`
    select environment_id as "environmentId", d.id from networks n, due_deposits(n.id, ${at}, ${resting}, ${limit}) d
      where n.abbreviation = ${network}`
}

export async function findTolerance(db: Db, environmentId: string): Promise<bigint> {
  const ppm = await selectValue<number>(db)`
    select deposit_tolerance_ppm from merchant_environments where id = ${environmentId}`
  return BigInt(ppm ?? 0)
}

export async function setTolerance(db: Db, environmentId: string, ppm: number): Promise<void> {
  await execute(db)`update merchant_environments set deposit_tolerance_ppm = ${ppm} where id = ${environmentId}`
}

export type Payment = {
  readonly id: string
  readonly network: string
  readonly txHash: string
  readonly logIndex: number
  readonly ownerId: string
  readonly address: string
  readonly token: string
  readonly amount: bigint
  readonly blockNumber: bigint
  readonly minedAt: Date
  /** True if it counts towards the requested amount. */
  readonly isCounted: boolean
}

const seenPayments = `select p.id, n.abbreviation as network, p.tx_hash as "txHash", p.log_index as "logIndex",
    p.owner_id as "ownerId", p.address, p.token, p.amount, p.block_number as "blockNumber", p.mined_at as "minedAt", p.is_counted as "isCounted"
  from chain_payments p join networks n on n.id = p.network_id`
const payments = raw(`${seenPayments}
  join chain_finality f on f.network_id = p.network_id and p.block_number <= f.number`)

/** Payments seen in a block and not yet compared with the market. */
export async function listUnpriced(db: Db, resting: readonly string[], limit: number): Promise<Payment[]> {
  return select<Payment>(db)`
    ${raw(seenPayments)} where p.priced_at is null and p.gone_at is null and p.id <> all(${resting}::uuid[])
      order by p.id limit ${limit}`
}

/** Returns false if another worker was first. */
export async function markPriced(tx: Tx, { id }: Payment, at: Date): Promise<boolean> {
  return executeOne(tx)`update chain_payments set priced_at = ${at} where id = ${id} and priced_at is null`
}

/** The sum of earlier payments, each of which keeps the price at which it was seen. */
export async function sumPriced(tx: Tx, { id, token, unit }: Deposit, { id: paymentId }: Payment): Promise<bigint> {
  const amount = await selectValue<bigint>(tx)`
    select coalesce(sum(amount), 0) from chain_payments
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
  return select<Payment>(db)`
    ${payments} where p.booked_at is null and p.gone_at is null and p.id <> all(${resting}::uuid[])
      order by p.network_id, p.block_number, p.log_index limit ${limit}`
}

/** Booked payments that a reorganisation removed for good. */
export async function listUndone(db: Db, resting: readonly string[], limit: number): Promise<Payment[]> {
  return select<Payment>(db)`
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
  return selectValue<number>(tx)`
    update chain_payments set booked_at = ${at}, bookings = bookings + ${isKnown ? 1 : 0}, is_counted = ${isCounted}
      where id = ${id} and booked_at is null and gone_at is null and block_number = ${blockNumber} returning bookings`
}

export async function markUnbooked(tx: Tx, { id }: Payment): Promise<number | undefined> {
  return selectValue<number>(tx)`
    update chain_payments set booked_at = null
      where id = ${id} and booked_at is not null and gone_at is not null returning bookings`
}

/** Links a journal to its payment. PostgreSQL refuses a second open booking of the same payment. */
export async function addBooking(
  tx: Tx,
  { id: paymentId }: Payment,
  { journalId, bookId, amount }: { readonly journalId: string; readonly bookId: number; readonly amount: bigint },
): Promise<void> {
  await execute(tx)`
    insert into chain_bookings (payment_id, journal_id, book_id, amount)
      values (${paymentId}, ${journalId}, ${bookId}, ${amount})`
}

/** Links the journal that reverses the booking of a payment. */
export async function undoBooking(tx: Tx, { id }: Payment, journalId: string): Promise<void> {
  await execute(tx)`
    update chain_bookings set undone_by = ${journalId} where payment_id = ${id} and undone_by is null`
}

export type CaseKind = 'under' | 'over' | 'late' | 'wrong_token' | 'reversed'
export type Case = Omit<StoredRow<typeof caseDocument>, 'kind'> & {
  readonly kind: CaseKind
  readonly reference: string
  readonly currency: string
  readonly resolvedAt: Date | null
  readonly resolution: string
}

const cases =
  raw(`select k.id, k.environment_id as "environmentId", k.deposit_id as "depositId", t.reference, k.kind, k.book_id as "bookId", b.currency, k.amount,
    k.opened_at as "openedAt", k.resolved_at as "resolvedAt", k.resolution
  from deposit_cases k
  join transactions t on t.environment_id = k.environment_id and t.id = k.deposit_id
  join ledger_books b on b.id = k.book_id`)

/** Newest first. */
export async function listCases(tx: Tx, before: string, limit: number): Promise<Case[]> {
  return select<Case>(tx)`${cases} where k.id < ${before} order by k.id desc limit ${limit}`
}

export async function findCase(tx: Tx, id: string): Promise<Case | undefined> {
  return selectOne<Case>(tx)`${cases} where k.id = ${id}`
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

export async function resolve(tx: Tx, id: string, resolution: string, at: Date): Promise<void> {
  await execute(tx)`update deposit_cases set resolved_at = ${at}, resolution = ${resolution} where id = ${id}`
}
