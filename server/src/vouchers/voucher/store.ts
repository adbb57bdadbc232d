import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { modes } from '../../base/mode.ts'
import { execute, list, queryRows, type RowOf, selectValue, sql, textOf } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { type Account, accountStates } from '../../ledger/account.ts'
import { documentOf, plainArray } from '../../ledger/document.ts'
import { expiredTos } from '../../identity/merchant/store.ts'
import { walletAccount } from '../../payments/wallet/store.ts'

const recipientKinds = ['nobody', 'merchant', 'email', 'user'] as const
export type RecipientKind = (typeof recipientKinds)[number]

export const vouchers = defineTable('vouchers', {
  /** The issuer's. */
  environmentId: sql.uuid,
  id: sql.uuid,
  bookId: sql.smallint,
  amount: sql.numeric,
  wasPaidFor: sql.boolean,
  recipientKind: oneOf(recipientKinds),
  recipient: sql.text,
  /** Environments where it can be redeemed. Empty means everywhere. */
  onlyAt: sql.uuids,
  expiresAt: orNull(sql.timestamptz),
  keyId: sql.smallint,
  codeHash: sql.uuid,
  codeSealed: sql.bytea,
  createdAt: sql.timestamptz,
  batchId: orNull(sql.uuid),
  batchNumber: orNull(sql.integer),
  /** The account that gets its balance at expiry, chosen by the issuer. */
  expiredTo: oneOf(expiredTos),
  /** True once its balance, or that of the voucher it replaces, went there. */
  wasExpired: sql.boolean,
  /** The user who bought it, if any. */
  buyerId: orNull(sql.uuid),
  /** The last symbols of its code, for display. */
  codeTail: orNull(sql.text),
  /** True if a vault on a network holds its value. */
  isOnchain: sql.boolean,
  /** True if only its issuer accepts it, and its value is no money of the platform. */
  isStore: sql.boolean,
  /** False for a card that is worthless until a sale activates it. */
  isActive: sql.boolean,
  /** What restricts its use, if anything does: `rulesOf` reads it. */
  rules: orNull(sql.jsonObject),
  /** When its balance moved out at expiry. */
  expiredAt: withDefault(orNull(sql.timestamptz)),
  replacedBy: withDefault(orNull(sql.uuid)),
})

export const voucherDocument = documentOf(vouchers)

/** The columns of voucher_details. `available` is the balance minus unexpired holds at the time $1. */
const voucherFields = {
  ...vouchers.columns('', 'id', 'environmentId', 'bookId', 'amount', 'wasPaidFor', 'recipientKind', 'recipient'),
  ...vouchers.columns('', 'onlyAt', 'expiresAt', 'createdAt', 'keyId', 'batchId', 'expiredTo', 'expiredAt'),
  ...vouchers.columns(
    '',
    'wasExpired',
    'replacedBy',
    'buyerId',
    'codeTail',
    'isOnchain',
    'isStore',
    'isActive',
    'rules',
  ),
  codeHash: sql.text`replace(code_hash::text, '-', '')`,
  sealed: sql.bytea`code_sealed`,
  mode: oneOf(modes)`mode`,
  currency: sql.text`currency`,
  balance: sql.numeric`balance`,
  state: oneOf(accountStates)`state`,
  hasPin: sql.boolean`has_pin`,
  isFrozen: sql.boolean`is_frozen`,
  // Most vouchers have no holds, so the subquery seldom runs.
  available: sql.numeric`case when held = 0 then balance else balance - held + coalesce((
    select sum(remaining) from ledger_holds h where h.owner_id = f.id and h.kind = voucher_account_kind(is_store) and h.book_id = f.book_id
      and remaining > 0 and expires_at <= $1), 0) end`,
}
const voucherColumns = list(voucherFields)
const selectVoucher = `select ${textOf(voucherColumns)}`
export type Voucher = RowOf<typeof voucherColumns>

export function voucherAccount({ bookId, id: ownerId, isStore }: Pick<Voucher, 'bookId' | 'id' | 'isStore'>): Account {
  return { bookId, ownerId, kind: isStore ? 'store_voucher' : 'voucher' }
}

/** The account of a merchant that pays for its store vouchers: minus its balance is what it owes their holders. */
export function storeFloat(environmentId: string, bookId: number): Account {
  return { bookId, ownerId: environmentId, kind: 'store_float' }
}

/**
 * The account that funded it: the issuer's float for a store voucher, the buyer's wallet, the issuer's balance, or the treasury for
 * the operator and the sandbox.
 */
export function payerAccount({ bookId, environmentId, wasPaidFor, buyerId, isStore }: Voucher): Account {
  if (isStore) return storeFloat(environmentId, bookId)
  if (buyerId !== null) return walletAccount(buyerId, bookId)
  return { bookId, ownerId: environmentId, kind: wasPaidFor ? 'merchant' : 'treasury' }
}

const selectByCode = `${selectVoucher} from vouchers_with_codes($2::uuid[], $3) f`

/**
 * Vouchers of any issuer by the hashes of their codes. Every code must have the same number of hashes. May return
 * others too.
 */
export async function findVouchers(
  db: Db,
  hashesOfCodes: readonly (readonly string[])[],
  at: Date,
): Promise<Map<string, Voucher>> {
  const values = [at, plainArray(hashesOfCodes.flat()), hashesOfCodes[0]?.length]
  const rows = await queryRows(db, voucherColumns, { name: 'vouchers_with_codes', text: selectByCode, values })
  return new Map(rows.map((voucher) => [voucher.codeHash, voucher]))
}

const ownColumns = list({
  ...voucherFields,
  /**
   * Vouchers of a batch are delivered when the batch is exported; any other is delivered in the response that issued
   * it.
   */
  isDelivered: sql.boolean`(batch_id is null or exists (
    select from voucher_batches w where w.environment_id = f.environment_id and w.id = f.batch_id and exported_at is not null))`,
})
const selectOwn = `select ${textOf(ownColumns)}`

/** A voucher as its issuer sees it. */
export type OwnVoucher = RowOf<typeof ownColumns>

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
  return queryRows(tx, ownColumns, {
    text: `with page as materialized (select id as wanted from vouchers where environment_id = $2 and ${page.text})
      ${selectOwn} from page
      cross join lateral (select * from voucher_details v where v.environment_id = $2 and v.id = page.wanted limit 1) f
      order by id desc`,
    values: [at, environmentId, ...page.values],
  })
}

/** Vouchers that a user bought, for any recipient, or received; newest first. */
export async function listVouchersOf(
  db: Db,
  userId: string,
  before: string,
  limit: number,
  at: Date,
): Promise<Voucher[]> {
  const text = `${selectVoucher} from vouchers_held_by($2, $3, $4) f`
  return queryRows(db, voucherColumns, { text, values: [at, userId, before, limit] })
}

/** The voucher of any issuer, locked until the transaction ends against other lifecycle changes. */
export async function lockVoucher(tx: Tx, id: string, at: Date): Promise<Voucher | undefined> {
  const text = `${selectVoucher} from lock_voucher_details($2) f`
  const [voucher] = await queryRows(tx, voucherColumns, { text, values: [at, id] })
  return voucher
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
export async function isDelivered(tx: Tx, { environmentId, batchId, isActive }: Voucher): Promise<boolean> {
  // An unsold card is worthless, whoever has it.
  if (!isActive) return false
  if (batchId === null) return true
  const found = await selectValue(tx)`
    select ${orNull(sql.timestamptz)`exported_at`} from voucher_batches where environment_id = ${environmentId}
      and id = ${batchId} for share`
  return found !== null
}

/**
 * Makes a card of a batch worth something, or worthless again, with the amount that it then has. A card that expired on the shelf and
 * is sold with a new expiry expires again.
 */
export async function setActivation(
  tx: Tx,
  { environmentId, id }: Pick<Voucher, 'environmentId' | 'id'>,
  { isActive, amount, expiresAt }: Pick<Voucher, 'isActive' | 'amount' | 'expiresAt'>,
): Promise<void> {
  await execute(tx)`
    update vouchers set is_active = ${isActive}, amount = ${amount}, expires_at = ${expiresAt}, expired_at = null
      where environment_id = ${environmentId} and id = ${id}`
}

export async function markReplaced(tx: Tx, { environmentId, id }: Voucher, replacedBy: string): Promise<void> {
  await execute(tx)`
    update vouchers set replaced_by = ${replacedBy} where environment_id = ${environmentId} and id = ${id}`
}
