import type { Db, Tx } from '../base/db.ts'
import { execute, selectValue } from '../base/sql.ts'
import type { Account, AccountState } from '../ledger/account.ts'
import type { Mode } from '../ledger/book.ts'
import { defineDocument, plainArray, type StoredRow } from '../ledger/document.ts'
import type { ExpiredTo } from '../merchant/store.ts'
import { walletAccount } from '../wallet/store.ts'

export const voucherDocument = defineDocument('vouchers', {
  /** Of who issued it. */
  environmentId: 'uuid',
  id: 'uuid',
  bookId: 'smallint',
  amount: 'numeric',
  wasPaidFor: 'boolean',
  recipientKind: 'text',
  recipient: 'text',
  /** Environments where it can be redeemed. None: everywhere. */
  onlyAt: 'uuid[]',
  expiresAt: 'timestamptz?',
  keyId: 'smallint',
  codeHash: 'uuid',
  codeSealed: 'bytea',
  createdAt: 'timestamptz',
  batchId: 'uuid?',
  batchNumber: 'integer?',
  /** Where what is left goes when it expires, as its issuer stated. */
  expiredTo: 'text',
  /** It went there once, or did from one that this one replaces. */
  wasExpired: 'boolean',
  /** The person who bought it, if one did. */
  buyerId: 'uuid?',
  /** The last symbols of its code, by which people name it. */
  codeTail: 'text?',
})

export type RecipientKind = 'nobody' | 'merchant' | 'email' | 'user'

export type Voucher = Omit<StoredRow<typeof voucherDocument>, 'codeSealed' | 'batchNumber'> & {
  readonly mode: Mode
  readonly currency: string
  readonly recipientKind: RecipientKind
  readonly expiredTo: ExpiredTo
  readonly balance: bigint
  /** Balance less what is held. */
  readonly available: bigint
  readonly state: AccountState
  readonly hasPin: boolean
  readonly isFrozen: boolean
  readonly sealed: Buffer
  /** When what was left has gone to where it goes. */
  readonly expiredAt: Date | null
  readonly replacedBy: string | null
}

/** The account that a voucher is. */
export function voucherAccount({ bookId, id: ownerId }: Pick<Voucher, 'bookId' | 'id'>): Account {
  return { bookId, ownerId, kind: 'voucher' }
}

/** Who put up the value of it: the person who bought it, its issuer, or the outside world for the operator and the sandbox. */
export function payerAccount({ bookId, environmentId, wasPaidFor, buyerId }: Voucher): Account {
  if (buyerId !== null) return walletAccount(buyerId, bookId)
  return { bookId, ownerId: environmentId, kind: wasPaidFor ? 'merchant' : 'treasury' }
}

const voucherColumns = `replace(code_hash::text, '-', '') as "codeHash", id, environment_id as "environmentId",
  book_id as "bookId", mode, currency, amount, was_paid_for as "wasPaidFor", recipient_kind as "recipientKind",
  recipient, only_at as "onlyAt", expires_at as "expiresAt", created_at as "createdAt", balance, state,
  has_pin as "hasPin", is_frozen as "isFrozen", key_id as "keyId", code_sealed as sealed, batch_id as "batchId",
  expired_to as "expiredTo", expired_at as "expiredAt", was_expired as "wasExpired", replaced_by as "replacedBy",
  buyer_id as "buyerId", code_tail as "codeTail"`

/** Balance less what live holds reserve. Hardly ever is anything held, and then the holds are looked at. */
const available = `case when held = 0 then balance else balance - held + coalesce((
    select sum(remaining) from ledger_holds h where h.owner_id = f.id and h.kind = 'voucher' and h.book_id = f.book_id
      and remaining > 0 and expires_at <= $1), 0) end as available`

/** By hash of the code, whoever issued it; every code has as many hashes. There may be others among them that were not asked for. */
export async function findVouchers(db: Db, hashesOfCodes: readonly (readonly string[])[], at: Date) {
  const { rows } = await db.query<Voucher>({
    name: 'vouchers_by_code',
    text: `select ${voucherColumns}, ${available} from vouchers_by_code($2::uuid[], $3) f`,
    values: [at, plainArray(hashesOfCodes.flat()), hashesOfCodes[0]?.length],
  })
  return new Map(rows.map((voucher) => [voucher.codeHash, voucher]))
}

/** One of a batch is delivered when the batch is exported. Any other was told with the answer that issued it. */
const delivered = `(batch_id is null or exists (
    select from voucher_batches w where w.environment_id = f.environment_id and w.id = f.batch_id and exported_at is not null))`

/** A voucher as its issuer sees it. */
export type OwnVoucher = Voucher & { readonly isDelivered: boolean }

/** An environment's own: these of them, or those before a cursor, newest first. */
export async function listOwnVouchers(
  tx: Tx,
  environmentId: string,
  which: { ids: readonly string[] } | { before: string; limit: number },
  at: Date,
): Promise<OwnVoucher[]> {
  // The page comes first: joined to accounts before it is cut, PostgreSQL may walk through everybody's accounts instead.
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

/** A person's, newest first: bought, also for others, or given to him. */
export async function listVouchersOf(db: Db, userId: string, before: string, limit: number, at: Date) {
  const { rows } = await db.query<Voucher>(
    `select ${voucherColumns}, ${available} from vouchers_of_user($2, $3, $4) f`,
    [at, userId, before, limit],
  )
  return rows
}

/** Whoever's it is, locked until the end of the transaction against every other act upon its life. */
export async function lockVoucher(tx: Tx, id: string, at: Date): Promise<Voucher | undefined> {
  const { rows } = await tx.query<Voucher>(`select ${voucherColumns}, ${available} from lock_voucher($2) f`, [at, id])
  return rows[0]
}

/** When a voucher of the environment that the transaction acts for ends; if it has ended, when that was and whether it had anything. */
export async function setExpiry(
  tx: Tx,
  { id, environmentId }: Voucher,
  expiresAt: Date | null,
  ended: { readonly at: Date; readonly hadValue: boolean } | undefined,
): Promise<void> {
  await execute(tx)`
    update vouchers set expires_at = ${expiresAt}, expired_at = ${ended?.at ?? null}, was_expired = was_expired
      or ${ended?.hadValue === true}
      where environment_id = ${environmentId} and id = ${id}`
}

/** Under a lock, so that nobody exports the batch of an undelivered one meanwhile. */
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
