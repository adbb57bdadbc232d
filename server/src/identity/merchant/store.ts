import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { type Mode, modes } from '../../base/mode.ts'
import {
  execute,
  executeOne,
  list,
  queryRows,
  type RowOf,
  select,
  selectOne,
  selectValue,
  sql,
  textOf,
} from '../../base/sql.ts'
import { defineTable, insertInto, type TableRow } from '../../base/table.ts'
import type { Owner } from '../../http/caller.ts'
import { languages } from '../../mail/words.ts'
import { merchantError } from './errors.ts'
import { keyKinds } from './key-kind.ts'

export const merchants = defineTable('merchants', {
  id: sql.uuid,
  code: sql.text,
  companyName: sql.text,
  tradingName: sql.text,
  description: sql.text,
  avatar: sql.text,
  homeCurrency: sql.text,
  timeZone: sql.text,
  createdAt: sql.timestamptz,
  /** For notices about the security of the shop. Empty: none are sent. */
  contactEmail: withDefault(sql.text),
  /** The language of emails and documents for the merchant. */
  language: withDefault(oneOf(languages)),
})

/** The name of a merchant `m` for its customers. */
export const merchantName = sql.text`coalesce(nullif(m.trading_name, ''), m.company_name)`

export const expiredTos = ['payer', 'unclaimed'] as const
export type ExpiredTo = (typeof expiredTos)[number]

export const merchantEnvironments = defineTable('merchant_environments', {
  id: sql.uuid,
  merchantId: sql.uuid,
  mode: oneOf(modes),
  redeemNeedsSecret: withDefault(sql.boolean),
  expiredTo: withDefault(oneOf(expiredTos)),
  paysInvoices: withDefault(sql.boolean),
  depositTolerancePpm: withDefault(sql.integer),
  /** What customers see besides the name. Empty: not set. */
  accent: withDefault(sql.text),
  address: withDefault(sql.text),
  taxNumber: withDefault(sql.text),
  logoVersion: withDefault(sql.text),
})

const merchantKeys = defineTable('merchant_keys', {
  id: sql.uuid,
  environmentId: sql.uuid,
  kind: oneOf(keyKinds),
  name: sql.text,
  digest: sql.bytea,
  shown: sql.text,
  origins: sql.texts,
  createdAt: sql.timestamptz,
  lastUsedAt: withDefault(orNull(sql.timestamptz)),
  endsAt: withDefault(orNull(sql.timestamptz)),
})

const profileColumns = list(
  merchants.columns('', 'code', 'companyName', 'tradingName', 'description', 'avatar', 'homeCurrency', 'timeZone'),
)
type Merchant = TableRow<typeof merchants>
export type Profile = RowOf<typeof profileColumns> & Partial<Pick<Merchant, 'contactEmail' | 'language'>>

const settingsColumns = list(
  merchants.columns('', 'code', 'companyName', 'tradingName', 'homeCurrency', 'timeZone', 'contactEmail', 'language'),
)
export type Settings = RowOf<typeof settingsColumns>

export async function findSettings(db: Db, merchantId: string): Promise<Settings> {
  const settings = await selectOne(db)`select ${settingsColumns} from merchants where id = ${merchantId}`
  if (settings === undefined) throw merchantError('MERCHANT_NOT_FOUND')
  return settings
}

export async function insertMerchant(tx: Tx, id: string, profile: Profile, at: Date): Promise<void> {
  await execute(tx)`${insertInto(merchants, { ...profile, id, createdAt: at })}`
}

export async function readProfile(db: Db, merchantId: string): Promise<Profile> {
  const profile = await selectOne(db)`select ${profileColumns} from merchants where id = ${merchantId}`
  if (profile === undefined) throw new Error('A merchant with keys does not exist.')
  return profile
}

/** Returns whether the merchant exists. */
export async function updateProfile(db: Db, code: string, changes: Partial<Omit<Profile, 'code'>>): Promise<boolean> {
  const { companyName, tradingName, description, avatar, homeCurrency, timeZone, contactEmail, language } = changes
  return executeOne(db)`
    update merchants set company_name = coalesce(${companyName}, company_name),
      trading_name = coalesce(${tradingName}, trading_name),
      description = coalesce(${description}, description), avatar = coalesce(${avatar}, avatar),
      home_currency = coalesce(${homeCurrency}, home_currency), time_zone = coalesce(${timeZone}, time_zone),
      contact_email = coalesce(${contactEmail}, contact_email), language = coalesce(${language}, language)
      where code = ${code}`
}

export async function findEnvironment(db: Db, code: string, mode: Mode): Promise<string | undefined> {
  return selectValue(db)`
    select ${sql.uuid`e.id`} from merchant_environments e join merchants m on m.id = e.merchant_id
      where m.code = ${code} and e.mode = ${mode}`
}

/** The environments of these merchants in a mode, by merchant code. */
export async function findEnvironments(db: Db, codes: readonly string[], mode: Mode): Promise<Map<string, string>> {
  const columns = list({ ...merchants.columns('m', 'code'), ...merchantEnvironments.columns('e', 'id') })
  const rows = await select(db)`
    select ${columns} from merchants m join merchant_environments e on e.merchant_id = m.id
      where m.code = any(${codes}) and e.mode = ${mode}`
  return new Map(rows.map(({ code, id }) => [code, id]))
}

/** Who gets the remaining value of this environment's vouchers when they expire. */
/** Both environments of a merchant. */
export async function listEnvironments(db: Db, merchantId: string): Promise<string[]> {
  const columns = list({ id: sql.uuid`id` })
  const rows = await select(db)`
    select ${columns} from merchant_environments where merchant_id = ${merchantId} order by mode`
  return rows.map(({ id }) => id)
}

export async function findExpiredTo(db: Db, environmentId: string): Promise<ExpiredTo> {
  const found = await selectValue(db)`
    select ${oneOf(expiredTos)`expired_to`} from merchant_environments where id = ${environmentId}`
  return found ?? 'unclaimed'
}

/** Applies to vouchers issued from now on. */
export async function setExpiredTo(db: Db, environmentId: string, to: ExpiredTo): Promise<void> {
  await execute(db)`update merchant_environments set expired_to = ${to} where id = ${environmentId}`
}

const shopColumns = list({
  ...merchantEnvironments.columns('e', 'id', 'accent', 'address', 'taxNumber', 'logoVersion'),
  ...merchants.columns('m', 'code', 'timeZone', 'language', 'contactEmail'),
  name: merchantName,
})
/** A merchant in one mode, with its brand. */
export type Shop = Omit<RowOf<typeof shopColumns>, 'id'>

/** The merchants of these environments, by environment. */
export async function findShops(db: Db, environmentIds: readonly string[]): Promise<Map<string, Shop>> {
  const rows = await select(db)`
    select ${shopColumns}
      from merchant_environments e join merchants m on m.id = e.merchant_id where e.id = any(${environmentIds}::uuid[])`
  return new Map(rows.map(({ id, ...shop }) => [id, shop]))
}

export async function findShop(db: Db, environmentId: string): Promise<Shop> {
  const shop = (await findShops(db, [environmentId])).get(environmentId)
  if (shop === undefined) throw new Error('An environment has no merchant.')
  return shop
}

/** The ends of days in a merchant's time zone, by date. */
export async function findEndsOfDays(db: Db, dates: readonly string[], merchantId: string): Promise<Map<string, Date>> {
  const columns = list({
    day: sql.text`day`,
    at: sql.timestamptz`(day::date + 1)::timestamp at time zone time_zone`,
  })
  const rows = await select(db)`
    select ${columns}
      from unnest(${dates}::text[]) as day, merchants where id = ${merchantId}`
  return new Map(rows.map(({ day, at }) => [day, at]))
}

const ownerColumns = list({ ...merchantEnvironments.columns('', 'merchantId', 'mode'), environmentId: sql.uuid`id` })

/** The owner of an environment, for jobs, which have no caller. */
export async function findOwner(db: Db, environmentId: string): Promise<Owner> {
  const owner = await selectOne(db)`
    select ${ownerColumns} from merchant_environments where id = ${environmentId}`
  if (owner === undefined) throw new Error('An environment has no merchant.')
  return owner
}

export async function findMerchantId(db: Db, code: string): Promise<string> {
  const id = await selectValue(db)`select ${sql.uuid`id`} from merchants where code = ${code}`
  if (id === undefined) throw merchantError('MERCHANT_NOT_FOUND')
  return id
}

export async function setRedeemNeedsSecret(db: Db, environmentId: string, needs: boolean): Promise<void> {
  await execute(db)`update merchant_environments set redeem_needs_secret = ${needs} where id = ${environmentId}`
}

export async function insertEnvironment(tx: Tx, id: string, merchantId: string, mode: Mode): Promise<void> {
  await execute(tx)`${insertInto(merchantEnvironments, { id, merchantId, mode })}`
}

type Key = TableRow<typeof merchantKeys>
export type NewKey = Pick<Key, 'id' | 'kind' | 'name' | 'digest' | 'shown' | 'origins'>

export async function insertKey(tx: Tx, environmentId: string, key: NewKey, at: Date): Promise<void> {
  await execute(tx)`${insertInto(merchantKeys, { ...key, environmentId, createdAt: at })}`
}

const keyColumns = list(
  merchantKeys.columns('', 'id', 'kind', 'name', 'shown', 'origins', 'createdAt', 'lastUsedAt', 'endsAt'),
)
export type KeyFacts = RowOf<typeof keyColumns>

export async function selectKeys(tx: Tx, at: Date): Promise<KeyFacts[]> {
  return select(tx)`
    select ${keyColumns} from merchant_keys order by coalesce(ends_at <= ${at}, false), id desc limit 100`
}

/** How many keys work. */
export async function countKeys(tx: Tx, at: Date): Promise<number> {
  const found = await selectValue(tx)`
    select ${sql.integer`count(*)::integer`} from merchant_keys where ends_at is null or ends_at > ${at}`
  return found ?? 0
}

type EndedKey = Pick<Key, 'kind' | 'name' | 'origins'> & {
  readonly hadEnded: boolean
  /** It had already been rotated or revoked. */
  readonly wasEnding: boolean
}

/** Ends a key at `endsAt`, unless it ends earlier. Returns the key, or undefined if it is not in this environment. */
export async function endKey(tx: Tx, id: string, endsAt: Date, now: Date): Promise<EndedKey | undefined> {
  const columns = list({
    ...merchantKeys.columns('k', 'kind', 'name', 'origins'),
    hadEnded: sql.boolean`coalesce(old.ends_at <= ${now}, false)`,
    wasEnding: sql.boolean`old.ends_at is not null`,
  })
  return selectOne(tx)`
    update merchant_keys k set ends_at = least(k.ends_at, ${endsAt})
      from (select id, ends_at from merchant_keys where id = ${id} for no key update) old where k.id = old.id
      returning ${columns}`
}

export async function rehashKeys(db: Db, changes: readonly { from: Buffer; to: Buffer }[]): Promise<void> {
  await execute(db)`select rehash_merchant_keys(${changes.map(({ from }) => from)}, ${changes.map(({ to }) => to)})`
}

const holderColumns = list({
  ...merchantKeys.columns('', 'digest', 'kind', 'origins', 'endsAt', 'environmentId'),
  ...merchantEnvironments.columns('', 'mode', 'merchantId'),
  keyId: sql.uuid`key_id`,
})
const selectHolders = `select ${textOf(holderColumns)} from merchant_key_holders($1, $2)`
export type KeyHolder = Omit<RowOf<typeof holderColumns>, 'digest'>

/** By digest in hex. */
export async function findKeyHolders(db: Db, digests: readonly Buffer[], at: Date): Promise<Map<string, KeyHolder>> {
  const config = { name: 'merchant_key_holders', text: selectHolders, values: [digests, at] }
  const rows = await queryRows(db, holderColumns, config)
  return new Map(rows.map(({ digest, ...holder }) => [digest.toString('hex'), holder]))
}
