import type { Db, Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'
import type { Language } from '../mail/words.ts'
import { userError } from './errors.ts'

/** Live wallets, test wallets, and the staff of merchants and the platform. Each user belongs to one realm. */
export type Realm = Mode | 'staff'
export const realms: readonly Realm[] = ['live', 'test', 'staff']

export type User = {
  readonly id: string
  readonly realm: Realm
  readonly email: string
  readonly username: string
  readonly phone: string
  readonly surname: string
  readonly otherNames: string
  readonly avatar: string
  readonly language: Language
  readonly externalId: string
  readonly regChannel: string
  readonly isActive: boolean
  readonly isDiscoverable: boolean
  readonly isPinSet: boolean
  readonly level: number
  readonly isOperator: boolean
  readonly hasTwoFactor: boolean
}

const columns = `u.id, u.realm, u.email, coalesce(u.username, '') as username, coalesce(u.phone, '') as phone, u.surname,
  u.other_names as "otherNames", coalesce(u.avatar, '') as avatar, u.language, u.external_id as "externalId",
  u.reg_channel as "regChannel", u.is_active as "isActive", u.is_discoverable as "isDiscoverable", u.level,
  u.is_operator as "isOperator", u.two_factor_enabled as "hasTwoFactor",
  exists (select from user_pins p where p.user_id = u.id) as "isPinSet"`

export function fullNameOf({ otherNames, surname }: Pick<User, 'otherNames' | 'surname'>): string {
  return `${otherNames} ${surname}`.trim()
}

export async function findUsers(db: Db, ids: readonly string[]): Promise<Map<string, User>> {
  const rows = await select<User>(db)`select ${raw(columns)} from users u where u.id = any(${ids}::uuid[])`
  return new Map(rows.map((user) => [user.id, user]))
}

/** Locks the user until the end of the transaction, so that the user's actions happen one after another. */
export async function lockUser(tx: Tx, id: string): Promise<User> {
  await execute(tx)`select from users where id = ${id} for no key update`
  const user = (await findUsers(tx, [id])).get(id)
  if (user?.isActive !== true) throw userError('SESSION_MISSING')
  return user
}

/** Returns whether an identifier is an email address, phone number or username, and its normal form. */
export function readIdentifier(text: string): { by: 'email' | 'phone' | 'username'; value: string } {
  const trimmed = text.trim()
  if (trimmed.includes('@')) return { by: 'email', value: trimmed.toLowerCase() }
  const digits = trimmed.replaceAll(/[\s().-]/g, '')
  if (/^(\+|00)?[0-9]{7,15}$/.test(digits)) return { by: 'phone', value: `+${digits.replace(/^(\+|00)/, '')}` }
  return { by: 'username', value: trimmed.toLowerCase() }
}

/** Finds a user by email address, username or phone number. */
export async function findUser(
  db: Db,
  realm: Realm,
  identifier: string,
  which: 'active' | 'any' = 'active',
): Promise<User | undefined> {
  const { by, value } = readIdentifier(identifier)
  return selectOne<User>(db)`
    select ${raw(columns)} from users u
      where u.realm = ${realm} and u.${raw(by)} = ${value} and (u.is_active or ${which === 'any'})`
}

/** Whether a user has blocked a merchant. */
async function isBlocked(db: Db, userId: string, merchantId: string): Promise<boolean> {
  return executeOne(db)`select from user_blocks where user_id = ${userId} and merchant_id = ${merchantId}`
}

/** Finds a user whom a merchant may address: discoverable, and not blocking the merchant. */
export async function findAddressable(
  db: Db,
  { realm, merchantId }: { readonly realm: Realm; readonly merchantId: string },
  identifier: string,
): Promise<User | undefined> {
  const user = await findUser(db, realm, identifier)
  if (user?.isDiscoverable !== true || (await isBlocked(db, user.id, merchantId))) return undefined
  return user
}

/** The language of the user with this address, or undefined if there is none. */
export async function findLanguage(db: Db, realm: Realm, email: string): Promise<Language | undefined> {
  return selectValue<Language>(db)`select language from users where realm = ${realm} and email = ${email}`
}

export async function isUsernameTaken(db: Db, realm: Realm, username: string): Promise<boolean> {
  return executeOne(db)`select from users where realm = ${realm} and username = ${username}`
}

export type NewUser = Pick<User, 'id' | 'realm' | 'email' | 'surname' | 'otherNames' | 'language'> & {
  readonly username?: string | undefined
  readonly phone?: string | undefined
  readonly isOperator?: boolean
}

export async function insertUser(tx: Tx, user: NewUser, passwordHash: string, at: Date): Promise<void> {
  const { id, realm, email, username, phone, surname, otherNames, language, isOperator = false } = user
  await namingConflicts(
    execute(tx)`
      insert into users (id, realm, email, username, phone, surname, other_names, language, is_operator, created_at,
          updated_at)
        values (${id}, ${realm}, ${email}, ${username}, ${phone}, ${surname}, ${otherNames}, ${language}, ${isOperator},
          ${at}, ${at})`,
  )
  await execute(tx)`
    insert into user_logins (id, user_id, account_id, provider_id, password, created_at, updated_at)
      values (${id}, ${id}, ${id}, 'credential', ${passwordHash}, ${at}, ${at})`
}

export type ProfileChanges = Partial<
  Pick<User, 'username' | 'phone' | 'surname' | 'otherNames' | 'avatar' | 'language' | 'isDiscoverable'>
>

export async function updateUser(db: Db, id: string, changes: ProfileChanges, at: Date): Promise<void> {
  const { username, phone, surname, otherNames, avatar, language, isDiscoverable } = changes
  await namingConflicts(
    execute(db)`
      update users set username = coalesce(${username}, username), phone = coalesce(${phone}, phone),
        surname = coalesce(${surname}, surname), other_names = coalesce(${otherNames}, other_names),
        avatar = coalesce(${avatar}, avatar), language = coalesce(${language}, language),
        is_discoverable = coalesce(${isDiscoverable}, is_discoverable), updated_at = ${at} where id = ${id}`,
  )
}

async function namingConflicts(query: Promise<unknown>): Promise<void> {
  const taken = { users_username: 'USERNAME_TAKEN', users_phone: 'PHONE_TAKEN', users_email: 'ADDRESS_KNOWN' } as const
  try {
    await query
  } catch (error) {
    const { constraint } = error as { constraint?: keyof typeof taken }
    if (hasCode(error, '23505') && constraint !== undefined) throw userError(taken[constraint], {}, error)
    throw error
  }
}

/** Sets the level or status of a user, by the operator. */
export async function setStanding(
  db: Db,
  id: string,
  { level, isActive }: { readonly level?: number | undefined; readonly isActive?: boolean | undefined },
): Promise<boolean> {
  const isThere = await executeOne(db)`
    update users set level = coalesce(${level}, level), is_active = coalesce(${isActive}, is_active) where id = ${id}`
  if (isActive === false) await endSessions(db, id)
  return isThere
}

async function endSessions(db: Db, userId: string): Promise<void> {
  await execute(db)`delete from user_sessions where user_id = ${userId}`
}

/** Ends all sessions except the one with this token. */
export async function endOtherSessions(db: Db, userId: string, token: string): Promise<void> {
  await execute(db)`delete from user_sessions where user_id = ${userId} and token <> ${token}`
}

/** A single query, whether or not the account exists. */
export async function findPasswordHash(db: Db, realm: Realm, email: string): Promise<string | undefined> {
  return selectValue<string>(db)`
    select l.password from users u join user_logins l on l.user_id = u.id
      where u.realm = ${realm} and u.email = ${email}`
}

export async function readPasswordHash(db: Db, userId: string): Promise<string> {
  const hash = await selectValue<string>(db)`select password from user_logins where user_id = ${userId}`
  if (hash === undefined) throw new Error('A user has no password hash.')
  return hash
}

/** Also removes all sessions and passkeys: a user who forgot the password may have lost a device too. */
export async function setPassword(tx: Tx, userId: string, passwordHash: string, at: Date): Promise<void> {
  await execute(tx)`update user_logins set password = ${passwordHash}, updated_at = ${at} where user_id = ${userId}`
  await execute(tx)`delete from user_passkeys where user_id = ${userId}`
  await endSessions(tx, userId)
}

export async function forgetSignIns(db: Db, at: Date): Promise<void> {
  await execute(db)`select forget_sign_ins(${at})`
}
