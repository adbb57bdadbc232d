import { hash } from 'node:crypto'
import { inTransaction, type Pool, type Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import { execute, executeOne, selectOne } from '../base/sql.ts'
import type { Contents } from '../mail/compose.ts'
import { postMail, writeMail } from '../mail/outbox.ts'
import type { Language } from '../mail/words.ts'
import type { PostTools } from '../ledger/batch.ts'
import { hashPassword } from './password.ts'
import { userError } from './errors.ts'
import {
  findPerson,
  insertPerson,
  findLanguage,
  isUsernameTaken,
  type Person,
  type Realm,
  setPassword,
} from './store.ts'

export type LinkTools = PostTools & { readonly random: Random; readonly seals: Seals }

/** What a mailed link is for. */
type Purpose =
  | ({ readonly purpose: 'sign_up' } & Pick<Person, 'username' | 'surname' | 'otherNames' | 'language'>)
  | { readonly purpose: 'reset' }
  /** To run the platform, if no merchant is named. */
  | { readonly purpose: 'invite'; readonly merchantId?: string; readonly merchant: string; readonly role: string }
export type Link = { readonly realm: Realm; readonly email: string } & Purpose

const hour = 3_600_000
const lifeMs: Record<Purpose['purpose'], number> = { sign_up: 24 * hour, reset: hour, invite: 7 * 24 * hour }

export type SignUp = {
  readonly email: string
  readonly username: string
  readonly surname: string
  readonly otherNames: string
  readonly language: Language
}

/**
 * Nobody is there before he has followed the link, where he chooses the password: an address is nobody's by having been typed, and who
 * typed it knows no word that opens it. Whether it is known only its owner is told, by mail; the same is done for either, so that the
 * time does not tell either.
 */
export async function signUp(tools: LinkTools, realm: Realm, ask: SignUp): Promise<void> {
  const { email, username, ...names } = ask
  // A username is no secret: merchants and friends find people by it.
  if (await isUsernameTaken(tools.pool, realm, username)) throw userError('USERNAME_TAKEN', { param: 'username' })
  const link = { realm, email, purpose: 'sign_up', username, ...names } as const
  await inTransaction(tools.pool, async (tx) => {
    const known = await findLanguage(tx, realm, email)
    await sendLink(tools, tx, link, known === undefined ? 'sign_up' : 'known', known ?? names.language)
  })
}

/** The same for every address, as above. */
export async function askForReset(tools: LinkTools, realm: Realm, email: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const known = await findLanguage(tx, realm, email)
    const what = known === undefined ? 'unknown' : 'reset'
    await sendLink(tools, tx, { realm, email, purpose: 'reset' }, what, known ?? 'en')
  })
}

/** Writes a link and the mail that carries it, and tells its token: for nobody but who may read the mail. */
export async function sendLink(
  { clock, newId, random, seals }: LinkTools,
  tx: Tx,
  { realm, email, purpose, ...content }: Link,
  what: Contents['link']['what'],
  language: Language,
): Promise<string> {
  const token = random(32).toString('base64url')
  const expiresAt = new Date(clock().getTime() + lifeMs[purpose])
  await execute(tx)`
    insert into user_links (digest, realm, purpose, email, content, expires_at)
      values (${digestOf(token)}, ${realm}, ${purpose}, ${email}, ${content}, ${expiresAt})`
  const merchant = 'merchant' in content ? content.merchant : ''
  const mode = realm === 'test' ? 'test' : 'live'
  const secret = { text: token, seals, random }
  const mail = { environmentId: null, aboutId: newId(), to: email, language, kind: 'link', secret } as const
  await postMail(tx, writeMail(newId, { ...mail, content: { what, merchant, mode } }))
  return token
}

/** Makes somebody one of those who run the platform. */
export async function inviteOperator(tools: LinkTools, address: string, platformName: string): Promise<string> {
  const email = address.toLowerCase()
  const link = { realm: 'staff', email, purpose: 'invite', merchant: platformName, role: '' } as const
  return inTransaction(tools.pool, (tx) => sendLink(tools, tx, link, 'invite', 'en'))
}

export async function findLink(tx: Tx | Pool, token: string, at: Date): Promise<Link> {
  const row = await selectOne<{ realm: Realm; email: string; purpose: Purpose['purpose']; content: object }>(tx)`
    select realm, email, purpose, content from user_links where digest = ${digestOf(token)} and expires_at > ${at}`
  if (row === undefined) throw userError('LINK_DEAD')
  const { content, ...rest } = row
  return { ...rest, ...content } as Link
}

export type LinkUse = {
  readonly token: string
} & { readonly [Name in 'password' | 'username' | 'surname' | 'otherNames']?: string | undefined }

/** Joins somebody to a merchant's staff. */
export type Join = (tx: Tx, userId: string, merchantId: string, role: string) => Promise<void>

/** Does what the link is for, once. */
export async function useLink(tools: LinkTools, join: Join, use: LinkUse): Promise<Link> {
  const { pool, clock } = tools
  // Before the transaction: it takes long.
  const passwordHash = use.password === undefined ? undefined : await hashPassword(use.password)
  return inTransaction(pool, async (tx) => {
    const link = await findLink(tx, use.token, clock())
    const isLive = await executeOne(tx)`delete from user_links where digest = ${digestOf(use.token)}`
    if (!isLive) throw userError('LINK_DEAD')
    if (link.purpose === 'sign_up') await createWallet(tools, tx, link, use, passwordHash)
    else if (link.purpose === 'reset') await resetPassword(tools, tx, link, passwordHash)
    else await acceptInvitation(tools, tx, link, use, passwordHash, join)
    // What else was sent for the same is over with it.
    await dropLinks(tx, link)
    return link
  })
}

async function createWallet(
  { newId, clock }: LinkTools,
  tx: Tx,
  person: Extract<Link, { purpose: 'sign_up' }>,
  // Somebody else may have taken the username since, and somebody else may have typed the names.
  { username = person.username, surname = person.surname, otherNames = person.otherNames }: LinkUse,
  passwordHash: string | undefined,
): Promise<void> {
  if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
  await insertPerson(tx, { ...person, id: newId(), username, surname, otherNames }, passwordHash, clock())
}

async function resetPassword(
  { newId, clock }: LinkTools,
  tx: Tx,
  { realm, email }: Link,
  passwordHash: string | undefined,
): Promise<void> {
  const person = await findPerson(tx, realm, email)
  if (person === undefined) throw userError('LINK_DEAD')
  if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
  await setPassword(tx, person.id, passwordHash, clock())
  await tellPerson(newId, tx, person, 'password_changed')
}

/** Writes to a person that something about the own sign-in was changed. */
export async function tellPerson(
  newId: NewId,
  tx: Tx,
  { id, realm, email, language }: Person,
  what: 'password_changed' | 'passkey_added',
): Promise<void> {
  const mode = realm === 'test' ? 'test' : 'live'
  const mail = { environmentId: null, aboutId: id, to: email, language, kind: 'link' } as const
  await postMail(tx, writeMail(newId, { ...mail, content: { what, merchant: '', mode } }))
}

type LinksOf = Pick<Link, 'realm' | 'purpose' | 'email'> & { readonly merchantId?: string }

/** No other link of this kind to this address works any more; of invitations, no other of this merchant. */
export async function dropLinks(tx: Tx, { realm, purpose, email, merchantId = '' }: LinksOf): Promise<void> {
  await execute(tx)`
    delete from user_links where realm = ${realm} and purpose = ${purpose} and email = ${email}
      and coalesce(content ->> 'merchantId', '') = ${merchantId}`
}

async function acceptInvitation(
  { newId, clock }: LinkTools,
  tx: Tx,
  { realm, email, merchantId, role }: Extract<Link, { purpose: 'invite' }>,
  { surname = '', otherNames = '' }: LinkUse,
  passwordHash: string | undefined,
  join: Join,
): Promise<void> {
  let userId = (await findPerson(tx, realm, email))?.id
  if (userId === undefined) {
    if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
    userId = newId()
    const isOperator = merchantId === undefined
    const person = { id: userId, realm, email, surname, otherNames, language: 'en', isOperator } as const
    await insertPerson(tx, person, passwordHash, clock())
  } else if (merchantId === undefined) await execute(tx)`update users set is_operator = true where id = ${userId}`
  if (merchantId !== undefined) await join(tx, userId, merchantId, role)
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
