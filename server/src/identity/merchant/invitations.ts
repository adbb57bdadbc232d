import type { Clock } from '../../base/clock.ts'
import { inTransaction, type Pool } from '../../base/db.ts'
import type { Role } from '../../http/role.ts'
import { dropLinks, listInvitations, type LinkTools } from '../user/links.ts'
import { merchantError } from './errors.ts'
import { inviteMember } from './members.ts'

/** Sends an open invitation again. The earlier link stops working. */
export async function resendInvitation(tools: LinkTools, merchantId: string, email: string): Promise<void> {
  const { role } = await findInvitation(tools, merchantId, email)
  await inviteMember(tools, merchantId, { email, role })
}

/** The emailed link stops working at once. */
export async function withdrawInvitation(
  tools: { readonly pool: Pool; readonly clock: Clock },
  merchantId: string,
  email: string,
): Promise<void> {
  await findInvitation(tools, merchantId, email)
  await inTransaction(tools.pool, (tx) =>
    dropLinks(tx, { realm: 'staff', purpose: 'invite', email: email.toLowerCase(), merchantId }),
  )
}

async function findInvitation(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  merchantId: string,
  email: string,
): Promise<{ readonly role: Role }> {
  const open = await listInvitations(pool, merchantId, clock(), email.toLowerCase())
  const [invitation] = open
  if (invitation === undefined) throw merchantError('INVITATION_NOT_FOUND')
  return invitation
}
