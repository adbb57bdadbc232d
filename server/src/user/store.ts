import type { Db, Tx } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'
import type { Mode } from '../ledger/book.ts'
import type { Language } from '../mail/words.ts'
import { userError } from './errors.ts'

/** Live and test wallets, and the staff of merchants and of the platform. Nobody is in two. */
export type Realm = Mode | 'staff'
export const realms: readonly Realm[] = ['live', 'test', 'staff']

export type Person = {
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

export function fullNameOf({ otherNames, surname }: Pick<Person, 'otherNames' | 'surname'>): string {
  return `${otherNames} ${surname}`.trim()
}

export async function findPeople(db: Db, ids: readonly string[]): Promise<Map<string, Person>> {
  const rows = await select<Person>(db)`select ${raw(columns)} from users u where u.id = any(${ids}::uuid[])`
  return new Map(rows.map((person) => [person.id, person]))
}

/** Until the end of the transaction he does one thing after another. */
export async function lockPerson(tx: Tx, id: string): Promise<Person> {
  await execute(tx)`select from users where id = ${id} for no key update`
  const person = (await findPeople(tx, [id])).get(id)
  if (person?.isActive !== true) throw userError('SESSION_MISSING')
  return person
}

/** Which of the three an identifier is, and its one spelling. */
export function readIdentifier(text: string): { by: 'email' | 'phone' | 'username'; value: string } {
  const trimmed = text.trim()
  if (trimmed.includes('@')) return { by: 'email', value: trimmed.toLowerCase() }
  const digits = trimmed.replaceAll(/[\s().-]/g, '')
  if (/^(\+|00)?[0-9]{7,15}$/.test(digits)) return { by: 'phone', value: `+${digits.replace(/^(\+|00)/, '')}` }
  return { by: 'username', value: trimmed.toLowerCase() }
}

/** By e-mail, username or phone. */
export async function findPerson(db: Db, realm: Realm, identifier: string, which: 'active' | 'any' = 'active') {
  const { by, value } = readIdentifier(identifier)
  return selectOne<Person>(db)`
    select ${raw(columns)} from users u
      where u.realm = ${realm} and u.${raw(by)} = ${value} and (u.is_active or ${which === 'any'})`
}

/** What somebody reads who has this address. Nobody has: nothing. */
export async function findLanguage(db: Db, realm: Realm, email: string): Promise<Language | undefined> {
  return selectValue<Language>(db)`select language from users where realm = ${realm} and email = ${email}`
}

export async function isUsernameTaken(db: Db, realm: Realm, username: string): Promise<boolean> {
  return executeOne(db)`select from users where realm = ${realm} and username = ${username}`
}

export type NewPerson = Pick<Person, 'id' | 'realm' | 'email' | 'surname' | 'otherNames' | 'language'> & {
  readonly username?: string | undefined
  readonly phone?: string | undefined
  readonly isOperator?: boolean
}

export async function insertPerson(tx: Tx, person: NewPerson, passwordHash: string, at: Date): Promise<void> {
  const { id, realm, email, username, phone, surname, otherNames, language, isOperator = false } = person
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
  Pick<Person, 'username' | 'phone' | 'surname' | 'otherNames' | 'avatar' | 'language' | 'isDiscoverable'>
>

export async function updatePerson(db: Db, id: string, changes: ProfileChanges, at: Date): Promise<void> {
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

/** The operator's word on somebody. */
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

/** In one look, whether or not somebody has the address. */
export async function findPasswordHash(db: Db, realm: Realm, email: string): Promise<string | undefined> {
  return selectValue<string>(db)`
    select l.password from users u join user_logins l on l.user_id = u.id
      where u.realm = ${realm} and u.email = ${email}`
}

export async function readPasswordHash(db: Db, userId: string): Promise<string> {
  const hash = await selectValue<string>(db)`select password from user_logins where user_id = ${userId}`
  if (hash === undefined) throw new Error('Somebody has no password.')
  return hash
}

/** Ends every session and every passkey: whoever forgot the password may have lost more. */
export async function setPassword(tx: Tx, userId: string, passwordHash: string, at: Date): Promise<void> {
  await execute(tx)`update user_logins set password = ${passwordHash}, updated_at = ${at} where user_id = ${userId}`
  await execute(tx)`delete from user_passkeys where user_id = ${userId}`
  await endSessions(tx, userId)
}

export async function forgetSignIns(db: Db, at: Date): Promise<void> {
  await execute(db)`select forget_sign_ins(${at})`
}
