import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, select, selectOne, selectValue } from '../base/sql.ts'
import type { Owner } from '../http/caller.ts'
import type { Mode } from '../ledger/book.ts'
import type { Language } from '../mail/words.ts'
import { merchantError } from './errors.ts'
import type { KeyKind } from './key.ts'

export type Profile = {
  readonly code: string
  readonly companyName: string
  readonly tradingName: string
  readonly description: string
  readonly avatar: string
  readonly homeCurrency: string
  readonly timeZone: string
  /** For notices about the security of the shop. Empty: none are sent. */
  readonly contactEmail?: string
  /** The language of emails and documents for the merchant. */
  readonly language?: Language
}

export async function insertMerchant(tx: Tx, id: string, profile: Profile, at: Date): Promise<void> {
  const { code, companyName, tradingName, description, avatar, homeCurrency, timeZone } = profile
  const { contactEmail = '', language = 'en' } = profile
  await execute(tx)`
    insert into merchants (id, code, company_name, trading_name, description, avatar, home_currency, time_zone,
        created_at, contact_email, language)
      values (${id}, ${code}, ${companyName}, ${tradingName}, ${description}, ${avatar}, ${homeCurrency}, ${timeZone},
        ${at}, ${contactEmail}, ${language})`
}

export async function readProfile(db: Db, merchantId: string): Promise<Profile> {
  const profile = await selectOne<Profile>(db)`
    select code, company_name as "companyName", trading_name as "tradingName", description, avatar,
      home_currency as "homeCurrency", time_zone as "timeZone" from merchants where id = ${merchantId}`
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
  return selectValue<string>(db)`
    select e.id from merchant_environments e join merchants m on m.id = e.merchant_id
      where m.code = ${code} and e.mode = ${mode}`
}

/** The environments of these merchants in a mode, by merchant code. */
export async function findEnvironments(db: Db, codes: readonly string[], mode: Mode): Promise<Map<string, string>> {
  const rows = await select<{ code: string; id: string }>(db)`
    select m.code, e.id from merchants m join merchant_environments e on e.merchant_id = m.id
      where m.code = any(${codes}) and e.mode = ${mode}`
  return new Map(rows.map(({ code, id }) => [code, id]))
}

export type ExpiredTo = 'payer' | 'unclaimed'

/** Who gets the remaining value of this environment's vouchers when they expire. */
export async function findExpiredTo(db: Db, environmentId: string): Promise<ExpiredTo> {
  const found = await selectValue<ExpiredTo>(db)`
    select expired_to as to from merchant_environments where id = ${environmentId}`
  return found ?? 'unclaimed'
}

/** Applies to vouchers issued from now on. */
export async function setExpiredTo(db: Db, environmentId: string, to: ExpiredTo): Promise<void> {
  await execute(db)`update merchant_environments set expired_to = ${to} where id = ${environmentId}`
}

export type Shop = {
  readonly name: string
  readonly timeZone: string
  readonly language: Language
  readonly contactEmail: string
}

/** The merchants of these environments, by environment. */
export async function findShops(db: Db, environmentIds: readonly string[]): Promise<Map<string, Shop>> {
  const rows = await select<Shop & { id: string }>(db)`
    select e.id, coalesce(nullif(m.trading_name, ''), m.company_name) as name, m.time_zone as "timeZone",
        m.language, m.contact_email as "contactEmail"
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
  const rows = await select<{ day: string; at: Date }>(db)`
    select day, (day::date + 1)::timestamp at time zone time_zone as at
      from unnest(${dates}::text[]) as day, merchants where id = ${merchantId}`
  return new Map(rows.map(({ day, at }) => [day, at]))
}

/** The owner of an environment, for jobs, which have no caller. */
export async function findOwner(db: Db, environmentId: string): Promise<Owner> {
  const owner = await selectOne<Owner>(db)`
    select merchant_id as "merchantId", id as "environmentId", mode from merchant_environments
      where id = ${environmentId}`
  if (owner === undefined) throw new Error('An environment has no merchant.')
  return owner
}

export async function findMerchantId(db: Db, code: string): Promise<string> {
  const id = await selectValue<string>(db)`select id from merchants where code = ${code}`
  if (id === undefined) throw merchantError('MERCHANT_NOT_FOUND')
  return id
}

export async function setRedeemNeedsSecret(db: Db, environmentId: string, needs: boolean): Promise<void> {
  await execute(db)`update merchant_environments set redeem_needs_secret = ${needs} where id = ${environmentId}`
}

export async function insertEnvironment(tx: Tx, id: string, merchantId: string, mode: Mode): Promise<void> {
  await execute(tx)`insert into merchant_environments (id, merchant_id, mode) values (${id}, ${merchantId}, ${mode})`
}

export type NewKey = Pick<KeyFacts, 'id' | 'kind' | 'name' | 'shown'> & { digest: Buffer; origins: readonly string[] }

export async function insertKey(tx: Tx, environmentId: string, key: NewKey, at: Date): Promise<void> {
  const { id, kind, name, digest, shown, origins } = key
  await execute(tx)`
    insert into merchant_keys (id, environment_id, kind, name, digest, shown, origins, created_at)
      values (${id}, ${environmentId}, ${kind}, ${name}, ${digest}, ${shown}, ${origins}, ${at})`
}

export type KeyFacts = {
  readonly id: string
  readonly kind: KeyKind
  readonly name: string
  readonly shown: string
  readonly origins: string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly endsAt: Date | null
}

export async function selectKeys(tx: Tx): Promise<KeyFacts[]> {
  return select<KeyFacts>(tx)`
    select id, kind, name, shown, origins, created_at as "createdAt", last_used_at as "lastUsedAt", ends_at as "endsAt"
      from merchant_keys order by id desc limit 100`
}

type EndedKey = Pick<KeyFacts, 'kind' | 'name' | 'origins'> & {
  readonly hadEnded: boolean
  /** It had already been rotated or revoked. */
  readonly wasEnding: boolean
}

/** Ends a key at `endsAt`, unless it ends earlier. Returns the key, or undefined if it is not in this environment. */
export async function endKey(tx: Tx, id: string, endsAt: Date, now: Date): Promise<EndedKey | undefined> {
  return selectOne<EndedKey>(tx)`
    update merchant_keys k set ends_at = least(k.ends_at, ${endsAt})
      from (select id, ends_at from merchant_keys where id = ${id} for no key update) old where k.id = old.id
      returning k.kind, k.name, k.origins, coalesce(old.ends_at <= ${now}, false) as "hadEnded",
        old.ends_at is not null as "wasEnding"`
}

export async function rehashKeys(db: Db, changes: readonly { from: Buffer; to: Buffer }[]): Promise<void> {
  await execute(db)`select rehash_merchant_keys(${changes.map(({ from }) => from)}, ${changes.map(({ to }) => to)})`
}

export type KeyHolder = Pick<KeyFacts, 'kind' | 'origins' | 'endsAt'> & {
  readonly keyId: string
  readonly environmentId: string
  readonly mode: Mode
  readonly merchantId: string
}

/** By digest in hex. */
export async function findKeyHolders(db: Db, digests: readonly Buffer[], at: Date): Promise<Map<string, KeyHolder>> {
  const { rows } = await db.query<KeyHolder & { digest: Buffer }>({
    name: 'merchant_key_holders',
    text: `select digest, key_id as "keyId", kind, origins, ends_at as "endsAt", environment_id as "environmentId", mode,
      merchant_id as "merchantId" from merchant_key_holders($1, $2)`,
    values: [digests, at],
  })
  return new Map(rows.map(({ digest, ...holder }) => [digest.toString('hex'), holder]))
}
