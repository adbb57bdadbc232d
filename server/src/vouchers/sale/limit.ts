import type { Tx } from '../../base/db.ts'
import { orNull, oneOf } from '../../base/column-type.ts'
import { execute, list, select, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { admitAtOnce, dollarsAtHome, valueAtHome } from '../../payments/outflow/request.ts'
import { hourOf, type LockedShop } from '../../payments/outflow/store.ts'
import { saleError } from './errors.ts'

export const sellers = ['key', 'owner', 'accountant', 'cashier'] as const
export type Seller = (typeof sellers)[number]

/** In minor units of the home currency. Null: no limit. */
export type SaleLimits = Readonly<Record<Seller, bigint | null>>

// What a stolen key or a dishonest cashier can sell in a day before somebody looks, in US cents.
const liveDefaults: Readonly<Record<Seller, bigint>> = {
  key: 2_000_00n,
  owner: 10_000_00n,
  accountant: 5_000_00n,
  cashier: 2_000_00n,
}

const saleLimits = defineTable('sale_limits', {
  environmentId: sql.uuid,
  seller: oneOf(sellers),
  daily: orNull(sql.numeric),
})
const limitColumns = list(saleLimits.columns('', 'seller', 'daily'))

const saleHours = defineTable('sale_hours', {
  environmentId: sql.uuid,
  sellerId: sql.uuid,
  hour: sql.timestamptz,
  total: sql.numeric,
})

type Clocked = Pick<PostTools, 'clock'>

/** The limits of each key and of each staff member by role. Test mode has none unless the owner sets them. */
export async function readLimits(
  { clock }: Clocked,
  tx: Tx,
  environmentId: string,
  shop: Pick<LockedShop, 'mode' | 'homeCurrency'>,
): Promise<SaleLimits> {
  const rows = await select(tx)`select ${limitColumns} from sale_limits where environment_id = ${environmentId}`
  const limitOf = async (seller: Seller): Promise<bigint | null> => {
    const own = rows.find((row) => row.seller === seller)
    if (own !== undefined) return own.daily
    if (shop.mode === 'test') return null
    // Without a rate the limit cannot be converted: then nothing is sold until the owner sets one.
    return (await dollarsAtHome({ clock }, tx, shop, liveDefaults[seller])) ?? 0n
  }
  return {
    key: await limitOf('key'),
    owner: await limitOf('owner'),
    accountant: await limitOf('accountant'),
    cashier: await limitOf('cashier'),
  }
}

export async function saveLimit(tx: Tx, environmentId: string, seller: Seller, daily: bigint | null): Promise<void> {
  await execute(tx)`
    ${insertInto(saleLimits, { environmentId, seller, daily })}
      on conflict (environment_id, seller) do update set daily = excluded.daily`
}

/** Who sells: a staff member, or the key. */
export function sellerOf({ memberId, keyId }: Pick<MerchantCaller, 'memberId' | 'keyId'>): string {
  return memberId ?? keyId
}

function kindOf({ role }: MerchantCaller): Seller {
  const found = sellers.find((seller) => seller === role)
  if (role !== undefined && found === undefined) throw new Error(`The role ${role} sells nothing.`)
  return found ?? 'key'
}

type Sold = {
  readonly value: bigint
  readonly price: bigint
  readonly currency: CatalogueCurrency
  /** That of its id, so that undoing it finds the hour in which it was counted. */
  readonly at: Date
}

/**
 * Counts value in the rolling day of its seller, and refuses what is above the limit. What the shop gives away is an outflow too. The
 * caller has locked the shop. Returns the value in the home currency.
 */
export async function admitSale(
  { clock }: Clocked,
  tx: Tx,
  caller: MerchantCaller,
  shop: LockedShop,
  { value, price, currency, at }: Sold,
): Promise<bigint> {
  const homeValue = await countValue({ clock }, tx, caller, shop, { value, currency, at })
  if (price < value) await admitAtOnce({ clock }, tx, caller.environmentId, { amount: value - price, currency })
  return homeValue
}

/** The same for money that is paid back for a voucher, which is no outflow of the balance. */
export async function countValue(
  { clock }: Clocked,
  tx: Tx,
  caller: MerchantCaller,
  shop: LockedShop,
  { value, currency, at }: Omit<Sold, 'price'>,
): Promise<bigint> {
  const { environmentId } = caller
  const limit = (await readLimits({ clock }, tx, environmentId, shop))[kindOf(caller)]
  const homeValue = await valueAtHome({ clock }, tx, shop, { amount: value, currency })
  const total = (await sumDay(tx, environmentId, sellerOf(caller), at)) + (homeValue ?? 0n)
  if (limit !== null && (homeValue === undefined || total > limit))
    throw saleError('SALE_ABOVE_DAILY', { param: 'amount' })
  await addToDay(tx, environmentId, sellerOf(caller), hourOf(at), homeValue ?? 0n)
  return homeValue ?? 0n
}

const dayMs = 24 * 3_600_000

/** In whole hours: up to an hour more, never less. */
async function sumDay(tx: Tx, environmentId: string, sellerId: string, at: Date): Promise<bigint> {
  const since = hourOf(new Date(at.getTime() - dayMs))
  const found = await selectValue(tx)`
    select ${sql.numeric`coalesce(sum(total), 0)`} from sale_hours
      where environment_id = ${environmentId} and seller_id = ${sellerId} and hour >= ${since}`
  return found ?? 0n
}

async function addToDay(tx: Tx, environmentId: string, sellerId: string, hour: Date, amount: bigint): Promise<void> {
  await execute(tx)`
    ${insertInto(saleHours, { environmentId, sellerId, hour, total: amount }, 'h')}
      on conflict (environment_id, seller_id, hour) do update set total = h.total + excluded.total`
}

/** Gives back what an undone sale counted, to who sold it and in the hour of the sale. */
export async function takeFromDay(
  tx: Tx,
  sale: {
    readonly environmentId: string
    readonly sellerId: string
    readonly createdAt: Date
    readonly homeValue: bigint
  },
): Promise<void> {
  await execute(tx)`
    update sale_hours set total = total - ${sale.homeValue}
      where environment_id = ${sale.environmentId} and seller_id = ${sale.sellerId} and hour = ${hourOf(sale.createdAt)}`
}
