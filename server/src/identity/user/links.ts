import { hash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { oneOf } from '../../base/column-type.ts'
import { type Db, inTransaction, type Pool, type Tx } from '../../base/db.ts'
import type { NewId } from '../../base/id.ts'
import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { type Role, roles } from '../../http/role.ts'
import { createCheck } from '../../http/validation.ts'
import type { Contents } from '../../mail/compose.ts'
import { postMail, writeMail } from '../../mail/outbox.ts'
import { type Language, wireLanguage } from '../../mail/words.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { hashPassword } from './password.ts'
import { userError } from './errors.ts'
import { findUser, insertUser, findLanguage, isUsernameTaken, type User, type Realm, setPassword } from './store.ts'
import { linkPurposes, realms } from './wire.ts'

export type LinkTools = PostTools & { readonly random: Random; readonly seals: Seals }

const userLinks = defineTable('user_links', {
  digest: sql.bytea,
  realm: oneOf(realms),
  purpose: oneOf(linkPurposes),
  email: sql.text,
  content: sql.jsonObject,
  expiresAt: sql.timestamptz,
})
const linkColumns = list(userLinks.columns('', 'realm', 'email', 'purpose', 'content'))

const text = Type.String()
/** The purpose of an emailed link, with the content that is stored for it. */
const purposes = Type.Union([
  Type.Object({
    purpose: Type.Literal('sign_up'),
    username: text,
    surname: text,
    otherNames: text,
    language: wireLanguage,
  }),
  Type.Object({ purpose: Type.Literal('reset') }),
  // Without a merchant and a role: an invitation to become an operator.
  Type.Object({
    purpose: Type.Literal('invite'),
    merchantId: Type.Optional(text),
    merchant: text,
    role: Type.Enum([...roles, '']),
  }),
])
const isPurpose = createCheck(purposes)
type Purpose = Readonly<Static<typeof purposes>>
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
 * Emails a link. The account is created only when its link is used, where the user chooses the password, so entering someone's address
 * has no effect. Only the email tells whether the address already has an account; the work is the same in both cases, so that response
 * times do not reveal it either.
 */
export async function signUp(tools: LinkTools, realm: Realm, input: SignUp): Promise<void> {
  const { email, username, ...names } = input
  // Usernames are public: merchants and other users find users by them.
  if (await isUsernameTaken(tools.pool, realm, username)) throw userError('USERNAME_TAKEN', { param: 'username' })
  const link = { realm, email, purpose: 'sign_up', username, ...names } as const
  await inTransaction(tools.pool, async (tx) => {
    const known = await findLanguage(tx, realm, email)
    await sendLink(tools, tx, link, known === undefined ? 'sign_up' : 'known', known ?? names.language)
  })
}

/** Does the same work for every address, like signUp. */
export async function requestPasswordReset(tools: LinkTools, realm: Realm, email: string): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    const known = await findLanguage(tx, realm, email)
    const what = known === undefined ? 'unknown' : 'reset'
    await sendLink(tools, tx, { realm, email, purpose: 'reset' }, what, known ?? 'en')
  })
}

/** Stores a link and its email, and returns the token. */
export async function sendLink(
  { clock, newId, random, seals }: LinkTools,
  tx: Tx,
  { realm, email, purpose, ...content }: Link,
  what: Contents['link']['what'],
  language: Language,
): Promise<string> {
  const token = random(32).toString('base64url')
  const expiresAt = new Date(clock().getTime() + lifeMs[purpose])
  const row = { digest: digestOf(token), realm, purpose, email, content: JSON.stringify(content), expiresAt }
  await execute(tx)`${insertInto(userLinks, row)}`
  const merchant = 'merchant' in content ? content.merchant : ''
  const mode = realm === 'test' ? 'test' : 'live'
  const secret = { text: token, seals, random }
  const mail = { environmentId: null, aboutId: newId(), to: email, language, kind: 'link', secret } as const
  await postMail(tx, writeMail(newId, { ...mail, content: { what, merchant, mode } }))
  return token
}

/** Invites an operator. */
export async function inviteOperator(tools: LinkTools, address: string, platformName: string): Promise<string> {
  const email = address.toLowerCase()
  const link = { realm: 'staff', email, purpose: 'invite', merchant: platformName, role: '' } as const
  return inTransaction(tools.pool, (tx) => sendLink(tools, tx, link, 'invite', 'en'))
}

export async function findLink(tx: Tx | Pool, token: string, at: Date): Promise<Link> {
  const row = await selectOne(tx)`
    select ${linkColumns} from user_links where digest = ${digestOf(token)} and expires_at > ${at}`
  if (row === undefined) throw userError('LINK_DEAD')
  const { realm, email, purpose, content } = row
  const stored: unknown = { ...content, purpose }
  if (!isPurpose(stored)) throw new Error('The stored content of a link does not fit its purpose.')
  return { ...stored, realm, email }
}

export type LinkUse = {
  readonly token: string
} & { readonly [Name in 'password' | 'username' | 'surname' | 'otherNames']?: string | undefined }

/** Adds a user to a merchant's staff. */
export type Join = (tx: Tx, userId: string, merchantId: string, role: Role) => Promise<void>

/** Uses a link, once. */
export async function useLink(tools: LinkTools, join: Join, use: LinkUse): Promise<Link> {
  const { pool, clock } = tools
  // Before the transaction, because it is slow.
  const passwordHash = use.password === undefined ? undefined : await hashPassword(use.password)
  return inTransaction(pool, async (tx) => {
    const link = await findLink(tx, use.token, clock())
    const isLive = await executeOne(tx)`delete from user_links where digest = ${digestOf(use.token)}`
    if (!isLive) throw userError('LINK_DEAD')
    if (link.purpose === 'sign_up') await createWallet(tools, tx, link, use, passwordHash)
    else if (link.purpose === 'reset') await resetPassword(tools, tx, link, passwordHash)
    else await acceptInvitation(tools, tx, link, use, passwordHash, join)
    // Other links for the same purpose are void now.
    await dropLinks(tx, link)
    return link
  })
}

async function createWallet(
  { newId, clock }: LinkTools,
  tx: Tx,
  user: Extract<Link, { purpose: 'sign_up' }>,
  // The user may change the names, which someone else may have entered, and the username, which may have been taken since.
  { username = user.username, surname = user.surname, otherNames = user.otherNames }: LinkUse,
  passwordHash: string | undefined,
): Promise<void> {
  if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
  await insertUser(tx, { ...user, id: newId(), username, surname, otherNames }, passwordHash, clock())
}

async function resetPassword(
  { newId, clock }: LinkTools,
  tx: Tx,
  { realm, email }: Link,
  passwordHash: string | undefined,
): Promise<void> {
  const user = await findUser(tx, realm, email)
  if (user === undefined) throw userError('LINK_DEAD')
  if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
  await setPassword(tx, user.id, passwordHash, clock())
  await notifyUser(newId, tx, user, 'password_changed')
}

/** Emails a user about a change to the sign-in. */
export async function notifyUser(
  newId: NewId,
  tx: Tx,
  { id, realm, email, language }: User,
  what: 'password_changed' | 'passkey_added',
): Promise<void> {
  const mode = realm === 'test' ? 'test' : 'live'
  const mail = { environmentId: null, aboutId: id, to: email, language, kind: 'link' } as const
  await postMail(tx, writeMail(newId, { ...mail, content: { what, merchant: '', mode } }))
}

type LinksOf = Pick<Link, 'realm' | 'purpose' | 'email'> & { readonly merchantId?: string }

/** Deletes all links for this purpose and address; of invitations, only those of the same merchant. */
export async function dropLinks(tx: Tx, { realm, purpose, email, merchantId = '' }: LinksOf): Promise<void> {
  await execute(tx)`
    delete from user_links where realm = ${realm} and purpose = ${purpose} and email = ${email}
      and coalesce(content ->> 'merchantId', '') = ${merchantId}`
}

const invitationColumns = list({
  ...userLinks.columns('', 'email', 'expiresAt'),
  role: oneOf(roles)`content ->> 'role'`,
})
type InvitationRow = RowOf<typeof invitationColumns>
export type Invitation = InvitationRow & { readonly invitedAt: Date }

/** The open invitations of a merchant, newest first: all, or that of an address. */
export async function listInvitations(db: Db, merchantId: string, at: Date, email?: string): Promise<Invitation[]> {
  const found = await select(db)`
    select ${invitationColumns} from user_links
      where purpose = 'invite' and content ->> 'merchantId' = ${merchantId} and expires_at > ${at}
        and (${email}::text is null or email = ${email}) order by expires_at desc, email limit 100`
  return found.map((one) => ({ ...one, invitedAt: new Date(one.expiresAt.getTime() - lifeMs.invite) }))
}

async function acceptInvitation(
  { newId, clock }: LinkTools,
  tx: Tx,
  { realm, email, merchantId, role }: Extract<Link, { purpose: 'invite' }>,
  { surname = '', otherNames = '' }: LinkUse,
  passwordHash: string | undefined,
  join: Join,
): Promise<void> {
  let userId = (await findUser(tx, realm, email))?.id
  if (userId === undefined) {
    if (passwordHash === undefined) throw userError('PASSWORD_MISSING', { param: 'password' })
    userId = newId()
    const isOperator = merchantId === undefined
    const user = { id: userId, realm, email, surname, otherNames, language: 'en', isOperator } as const
    await insertUser(tx, user, passwordHash, clock())
  } else if (merchantId === undefined) await execute(tx)`update users set is_operator = true where id = ${userId}`
  if (merchantId !== undefined && role !== '') await join(tx, userId, merchantId, role)
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
