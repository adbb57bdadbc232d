import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import { execute, executeOne, list, raw, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { type Language, languages } from '../../mail/words.ts'
import { userError } from './errors.ts'
import { realms } from './wire.ts'

/** Live wallets, test wallets, and the staff of merchants and the platform. Each user belongs to one realm. */
export type Realm = (typeof realms)[number]

export const users = defineTable('users', {
  id: sql.uuid,
  realm: oneOf(realms),
  email: sql.text,
  username: orNull(sql.text),
  phone: orNull(sql.text),
  surname: sql.text,
  otherNames: sql.text,
  avatar: orNull(sql.text),
  language: oneOf(languages),
  externalId: withDefault(sql.text),
  regChannel: withDefault(sql.text),
  isActive: withDefault(sql.boolean),
  isDiscoverable: withDefault(sql.boolean),
  level: withDefault(sql.smallint),
  isOperator: withDefault(sql.boolean),
  twoFactorEnabled: withDefault(sql.boolean),
  createdAt: sql.timestamptz,
  updatedAt: sql.timestamptz,
})

const userLogins = defineTable('user_logins', {
  id: sql.uuid,
  userId: sql.uuid,
  accountId: sql.uuid,
  providerId: oneOf(['credential']),
  password: sql.text,
  createdAt: sql.timestamptz,
  updatedAt: sql.timestamptz,
})

const userColumns = list({
  ...users.columns('u', 'id', 'realm', 'email', 'surname', 'otherNames', 'language', 'externalId', 'regChannel'),
  ...users.columns('u', 'isActive', 'isDiscoverable', 'level', 'isOperator'),
  username: sql.text`coalesce(u.username, '')`,
  phone: sql.text`coalesce(u.phone, '')`,
  avatar: sql.text`coalesce(u.avatar, '')`,
  hasTwoFactor: sql.boolean`u.two_factor_enabled`,
  isPinSet: sql.boolean`exists (select from user_pins p where p.user_id = u.id)`,
})
export type User = RowOf<typeof userColumns>

export function fullNameOf({ otherNames, surname }: Pick<User, 'otherNames' | 'surname'>): string {
  return `${otherNames} ${surname}`.trim()
}

export async function findUsers(db: Db, ids: readonly string[]): Promise<Map<string, User>> {
  const rows = await select(db)`select ${userColumns} from users u where u.id = any(${ids}::uuid[])`
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
  return selectOne(db)`
    select ${userColumns} from users u
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
  return selectValue(db)`
    select ${oneOf(languages)`language`} from users where realm = ${realm} and email = ${email}`
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
  // Only these columns, whatever else the object contains.
  const { id, realm, email, username, phone, surname, otherNames, language, isOperator } = user
  const row = { id, realm, email, username, phone, surname, otherNames, language, isOperator }
  const times = { createdAt: at, updatedAt: at }
  await namingConflicts(execute(tx)`${insertInto(users, { ...row, ...times })}`)
  const login = { id, userId: id, accountId: id, providerId: 'credential', password: passwordHash, ...times } as const
  await execute(tx)`${insertInto(userLogins, login)}`
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
  return selectValue(db)`
    select ${sql.text`l.password`} from users u join user_logins l on l.user_id = u.id
      where u.realm = ${realm} and u.email = ${email}`
}

export async function readPasswordHash(db: Db, userId: string): Promise<string> {
  const hash = await selectValue(db)`select ${sql.text`password`} from user_logins where user_id = ${userId}`
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
