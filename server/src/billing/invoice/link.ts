import type { Clock } from '../../base/clock.ts'
import type { Pool, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Random } from '../../base/random.ts'
import type { Seals } from '../../base/seal.ts'
import { executeOne } from '../../base/sql.ts'
import { invoiceError } from './errors.ts'
import { findInvoice, type Invoice } from './store.ts'

const purpose = 'invoice'
const lifeMs = 90 * 24 * 3_600_000

type SealTools = { readonly keyRing: Seals; readonly random: Random }

/**
 * The token of a private link: anyone who has it sees the invoice, for 90 days or until the merchant revokes it. It contains the id of
 * the invoice and the time, encrypted, so nothing is stored.
 */
export function sealInvoice({ keyRing, random }: SealTools, environmentId: string, id: string, madeAt: Date): string {
  return keyRing.sealFacts(purpose, [environmentId, id, madeAt.getTime()], random)
}

type OpenTools = { readonly pool: Pool; readonly keyRing: Seals; readonly clock: Clock }

export async function openInvoice(
  { pool, keyRing, clock }: OpenTools,
  token: string,
): Promise<Invoice & { readonly environmentId: string }> {
  const [environmentId = '', id = '', madeMs] = (keyRing.openFacts(purpose, token) ?? []) as Facts
  const invoice =
    id === '' ? undefined : await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id))
  if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
  // Links of older versions have no time and count from the creation of the invoice.
  const sinceMs = madeMs ?? invoice.createdAt.getTime()
  const isRevoked = invoice.linksRevokedAt !== null && sinceMs <= invoice.linksRevokedAt.getTime()
  if (isRevoked || clock().getTime() > sinceMs + lifeMs) throw invoiceError('INVOICE_LINK_ENDED')
  return { ...invoice, environmentId }
}
type Facts = [environmentId?: string, id?: string, madeMs?: number]

/** Revokes all links created until now. A later email about the invoice contains a new one. */
export async function revokeLinks(tx: Tx, environmentId: string, id: string, at: Date): Promise<void> {
  const isThere = await executeOne(tx)`
    update invoices set links_revoked_at = ${at} where environment_id = ${environmentId} and id = ${id}`
  if (!isThere) throw invoiceError('INVOICE_NOT_FOUND')
}
