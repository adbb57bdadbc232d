import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import { type Db, inTransaction, type Tx } from '../../base/db.ts'
import type { Mode } from '../../base/mode.ts'
import { execute, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { type Role, roles } from '../../http/role.ts'
import { dropLinks, type LinkTools, sendLink } from '../user/links.ts'
import { endSessionsAt } from '../user/session-store.ts'
import { users } from '../user/store.ts'
import { merchantError } from './errors.ts'
import { merchantName, merchants } from './store.ts'

const merchantMembers = defineTable('merchant_members', {
  merchantId: sql.uuid,
  userId: sql.uuid,
  role: oneOf(roles),
  createdAt: sql.timestamptz,
  lastSeenAt: withDefault(orNull(sql.timestamptz)),
})

const membershipColumns = list({
  ...merchantMembers.columns('b', 'merchantId', 'role', 'lastSeenAt'),
  environmentId: sql.uuid`e.id`,
})
export type Membership = RowOf<typeof membershipColumns>

export async function findMembership(
  db: Db,
  userId: string,
  code: string,
  mode: Mode,
): Promise<Membership | undefined> {
  return selectOne(db)`
    select ${membershipColumns}
      from merchants m join merchant_members b on b.merchant_id = m.id and b.user_id = ${userId}
      join merchant_environments e on e.merchant_id = m.id and e.mode = ${mode}
      where m.code = ${code}`
}

function workplaceColumns(tillOf: string | null) {
  return list({
    ...merchants.columns('m', 'code', 'timeZone', 'homeCurrency'),
    name: merchantName,
    isTill: sql.boolean`${tillOf}::uuid is not null`,
    role: oneOf(roles)`case when ${tillOf}::uuid is null then b.role else 'cashier' end`,
  })
}
type Workplace = RowOf<ReturnType<typeof workplaceColumns>>

/** The merchants that a user works for. In a till session the role is cashier. */
export async function listMemberships(db: Db, userId: string, tillOf: string | null): Promise<Workplace[]> {
  return select(db)`
    select ${workplaceColumns(tillOf)}
      from merchant_members b join merchants m on m.id = b.merchant_id
      where b.user_id = ${userId} and (${tillOf}::uuid is null or m.id = ${tillOf}) order by name`
}

const seenEveryMs = 5 * 60_000

/** Notes that a member was here, at most once in five minutes. */
export async function noteSeen(
  db: Db,
  { merchantId, lastSeenAt }: Pick<Membership, 'merchantId' | 'lastSeenAt'>,
  userId: string,
  at: Date,
): Promise<void> {
  if (lastSeenAt !== null && at.getTime() - lastSeenAt.getTime() < seenEveryMs) return
  await execute(db)`
    update merchant_members set last_seen_at = ${at} where merchant_id = ${merchantId} and user_id = ${userId}`
}

/** The roles that may use a till. */
export const tillRoles: readonly Role[] = ['owner', 'cashier']

const memberColumns = list({
  ...users.columns('u', 'id', 'email', 'isActive'),
  ...merchantMembers.columns('b', 'role', 'lastSeenAt'),
  name: sql.text`trim(u.other_names || ' ' || u.surname)`,
  since: sql.timestamptz`b.created_at`,
  isPinSet: sql.boolean`exists (select from user_pins p where p.user_id = u.id)`,
  hasSecondFactor: sql.boolean`
    u.two_factor_enabled or exists (select from user_passkeys k where k.user_id = u.id)`,
})
export type Member = RowOf<typeof memberColumns>

export async function listMembers(db: Db, merchantId: string): Promise<Member[]> {
  return select(db)`
    select ${memberColumns}
      from merchant_members b join users u on u.id = b.user_id where b.merchant_id = ${merchantId} order by u.email`
}

/** Emails an invitation link. Anyone who can read the email can join. */
export async function inviteMember(
  tools: LinkTools,
  merchantId: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<string> {
  return inTransaction(tools.pool, async (tx) => {
    const columns = list({ ...merchants.columns('m', 'language'), name: merchantName })
    const merchant = await selectOne(tx)`select ${columns} from merchants m where m.id = ${merchantId}`
    if (merchant === undefined) throw merchantError('MERCHANT_NOT_FOUND')
    const link = { realm: 'staff', email: email.toLowerCase(), purpose: 'invite', merchantId, role } as const
    // Only the newest invitation is valid, and none from before the member was removed.
    await dropLinks(tx, link)
    return sendLink(tools, tx, { ...link, merchant: merchant.name }, 'invite', merchant.language)
  })
}

/** Accepts an invitation. An existing member gets the role of the invitation. */
export async function joinMerchant(tx: Tx, userId: string, merchantId: string, role: Role, at: Date): Promise<void> {
  if (role !== 'owner') await requireOtherOwner(tx, merchantId, userId)
  const known = (await listMembers(tx, merchantId)).find(({ id }) => id === userId)
  if (known !== undefined && losesRights(known.role, role)) await endSessionsAt(tx, userId, merchantId)
  await execute(tx)`
    ${insertInto(merchantMembers, { merchantId, userId, role, createdAt: at })}
      on conflict (merchant_id, user_id) do update set role = excluded.role`
}

/** An owner has all rights. Each other role has some that the others lack. */
function losesRights(from: Role, to: Role | 'none'): boolean {
  return from !== to && to !== 'owner'
}

/**
 * Changes a member's role, or removes the member. A merchant always has an owner. Where rights are lost, the member's sessions end: a
 * device that was forgotten keeps none.
 */
export async function changeMember(
  { pool }: LinkTools,
  merchantId: string,
  userId: string,
  role: Role | 'none',
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const member = (await listMembers(tx, merchantId)).find(({ id }) => id === userId)
    if (member === undefined) throw merchantError('MEMBER_NOT_FOUND')
    if (role !== 'owner') await requireOtherOwner(tx, merchantId, userId)
    await dropLinks(tx, { realm: 'staff', purpose: 'invite', email: member.email, merchantId })
    const where = 'where merchant_id = $1 and user_id = $2'
    if (losesRights(member.role, role)) await endSessionsAt(tx, userId, merchantId)
    if (role === 'none') await tx.query(`delete from merchant_members ${where}`, [merchantId, userId])
    else await tx.query(`update merchant_members set role = $3 ${where}`, [merchantId, userId, role])
  })
}

/** Locks the merchant first: two owners who demote each other at the same time would both still find the other. */
async function requireOtherOwner(tx: Tx, merchantId: string, userId: string): Promise<void> {
  await execute(tx)`select from merchants where id = ${merchantId} for no key update`
  const members = await listMembers(tx, merchantId)
  const isOwner = members.some(({ id, role }) => role === 'owner' && id === userId)
  const hasOther = members.some(({ id, role }) => role === 'owner' && id !== userId)
  if (isOwner && !hasOther) throw merchantError('OWNER_LAST')
}
