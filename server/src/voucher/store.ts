import type { Db, Tx } from '../base/db.ts'
import { execute, selectValue } from '../base/sql.ts'
import type { Account, AccountState } from '../ledger/account.ts'
import type { Mode } from '../ledger/book.ts'
import { defineDocument, plainArray, type StoredRow } from '../ledger/document.ts'
import type { ExpiredTo } from '../merchant/store.ts'
import { walletAccount } from '../wallet/store.ts'

export const voucherDocument = defineDocument('vouchers', {
  /** The issuer's. */
  environmentId: 'uuid',
  id: 'uuid',
  bookId: 'smallint',
  amount: 'numeric',
  wasPaidFor: 'boolean',
  recipientKind: 'text',
  recipient: 'text',
  /** Environments where it can be redeemed. Empty means everywhere. */
  onlyAt: 'uuid[]',
  expiresAt: 'timestamptz?',
  keyId: 'smallint',
  codeHash: 'uuid',
  codeSealed: 'bytea',
  createdAt: 'timestamptz',
  batchId: 'uuid?',
  batchNumber: 'integer?',
  /** The account that gets its balance at expiry, chosen by the issuer. */
  expiredTo: 'text',
  /** True once its balance, or that of the voucher it replaces, went there. */
  wasExpired: 'boolean',
  /** The user who bought it, if any. */
  buyerId: 'uuid?',
  /** The last symbols of its code, for display. */
  codeTail: 'text?',
  /** True if a vault on a network holds its value. */
  isOnchain: 'boolean',
})

export type RecipientKind = 'nobody' | 'merchant' | 'email' | 'user'

export type Voucher = Omit<StoredRow<typeof voucherDocument>, 'codeSealed' | 'batchNumber'> & {
  readonly mode: Mode
  readonly currency: string
  readonly recipientKind: RecipientKind
  readonly expiredTo: ExpiredTo
  readonly balance: bigint
  /** Balance minus holds. */
  readonly available: bigint
  readonly state: AccountState
  readonly hasPin: boolean
  readonly isFrozen: boolean
  readonly sealed: Buffer
  /** When its balance moved out at expiry. */
  readonly expiredAt: Date | null
  readonly replacedBy: string | null
}

export function voucherAccount({ bookId, id: ownerId }: Pick<Voucher, 'bookId' | 'id'>): Account {
  return { bookId, ownerId, kind: 'voucher' }
}

/**
 * The account that funded it: the buyer's wallet, the issuer's balance, or the treasury for the operator and the
 * sandbox.
 */
export function payerAccount({ bookId, environmentId, wasPaidFor, buyerId }: Voucher): Account {
  if (buyerId !== null) return walletAccount(buyerId, bookId)
  return { bookId, ownerId: environmentId, kind: wasPaidFor ? 'merchant' : 'treasury' }
}

const voucherColumns = `replace(code_hash::text, '-', '') as "codeHash", id, environment_id as "environmentId",
  book_id as "bookId", mode, currency, amount, was_paid_for as "wasPaidFor", recipient_kind as "recipientKind",
  recipient, only_at as "onlyAt", expires_at as "expiresAt", created_at as "createdAt", balance, state,
  has_pin as "hasPin", is_frozen as "isFrozen", key_id as "keyId", code_sealed as sealed, batch_id as "batchId",
  expired_to as "expiredTo", expired_at as "expiredAt", was_expired as "wasExpired", replaced_by as "replacedBy",
  buyer_id as "buyerId", code_tail as "codeTail", is_onchain as "isOnchain"`

/** Balance minus unexpired holds. Most vouchers have no holds, so the subquery seldom runs. */
const available = `case when held = 0 then balance else balance - held + coalesce((
    select sum(remaining) from ledger_holds h where h.owner_id = f.id and h.kind = 'voucher' and h.book_id = f.book_id
      and remaining > 0 and expires_at <= $1), 0) end as available`

/**
 * Vouchers of any issuer by the hashes of their codes. Every code must have the same number of hashes. May return
 * others too.
 */
export async function findVouchers(
  db: Db,
  hashesOfCodes: readonly (readonly string[])[],
  at: Date,
): Promise<Map<string, Voucher>> {
  const { rows } = await db.query<Voucher>({
    name: 'vouchers_by_code',
    text: `select ${voucherColumns}, ${available} from vouchers_by_code($2::uuid[], $3) f`,
    values: [at, plainArray(hashesOfCodes.flat()), hashesOfCodes[0]?.length],
  })
  return new Map(rows.map((voucher) => [voucher.codeHash, voucher]))
}

/**
 * Vouchers of a batch are delivered when the batch is exported; any other is delivered in the response that issued
 * it.
 */
const delivered = `(batch_id is null or exists (
    select from voucher_batches w where w.environment_id = f.environment_id and w.id = f.batch_id and exported_at is not null))`

/** A voucher as its issuer sees it. */
export type OwnVoucher = Voucher & { readonly isDelivered: boolean }

/** Vouchers that an environment issued, by id or before a cursor, newest first. */
export async function listOwnVouchers(
  tx: Tx,
  environmentId: string,
  which: { ids: readonly string[] } | { before: string; limit: number },
  at: Date,
): Promise<OwnVoucher[]> {
  // Select the page first: with a plain join PostgreSQL may scan the accounts of all merchants.
  const page =
    'ids' in which
      ? { text: 'id = any($3)', values: [which.ids] }
      : { text: 'id < $3 order by id desc limit $4', values: [which.before, which.limit] }
  const { rows } = await tx.query<OwnVoucher>(
    `with page as materialized (select id as wanted from vouchers where environment_id = $2 and ${page.text})
      select ${voucherColumns}, ${available}, ${delivered} as "isDelivered" from page
      cross join lateral (select * from voucher_facts v where v.environment_id = $2 and v.id = page.wanted limit 1) f
      order by id desc`,
    [at, environmentId, ...page.values],
  )
  return rows
}

/** Vouchers that a user bought, for any recipient, or received; newest first. */
export async function listVouchersOf(
  db: Db,
  userId: string,
  before: string,
  limit: number,
  at: Date,
): Promise<Voucher[]> {
  const { rows } = await db.query<Voucher>(
    `select ${voucherColumns}, ${available} from vouchers_of_user($2, $3, $4) f`,
    [at, userId, before, limit],
  )
  return rows
}

/** The voucher of any issuer, locked until the transaction ends against other lifecycle changes. */
export async function lockVoucher(tx: Tx, id: string, at: Date): Promise<Voucher | undefined> {
  const { rows } = await tx.query<Voucher>(`select ${voucherColumns}, ${available} from lock_voucher($2) f`, [at, id])
  return rows[0]
}

/** Sets the expiry of a voucher; for an expired one also when it expired and whether it had a balance. */
export async function setExpiry(
  tx: Tx,
  { id, environmentId }: Voucher,
  expiresAt: Date | null,
  expired: { readonly at: Date; readonly hadValue: boolean } | undefined,
): Promise<void> {
  await execute(tx)`
    update vouchers set expires_at = ${expiresAt}, expired_at = ${expired?.at ?? null}, was_expired = was_expired
      or ${expired?.hadValue === true}
      where environment_id = ${environmentId} and id = ${id}`
}

/** Locks the batch, so that no concurrent export can deliver the voucher. */
export async function isDelivered(tx: Tx, { environmentId, batchId }: Voucher): Promise<boolean> {
  if (batchId === null) return true
  const found = await selectValue<Date | null>(tx)`
    select exported_at as "exportedAt" from voucher_batches where environment_id = ${environmentId}
      and id = ${batchId} for share`
  return found !== null
}

export async function markReplaced(tx: Tx, { environmentId, id }: Voucher, replacedBy: string): Promise<void> {
  await execute(tx)`
    update vouchers set replaced_by = ${replacedBy} where environment_id = ${environmentId} and id = ${id}`
}
