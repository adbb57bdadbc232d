import { withEnvironment } from '../base/environment.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import type { Pool } from '../base/db.ts'
import { invoiceError } from './errors.ts'
import { findInvoice, type Invoice } from './store.ts'

const purpose = 'invoice'

/** The private link of an invoice: whoever has it sees the invoice. Its name, sealed, so that there is nothing to keep. */
export function sealInvoice(seals: Seals, environmentId: string, id: string, random: Random): string {
  return seals.sealFacts(purpose, [environmentId, id], random)
}

export async function openInvoice(
  pool: Pool,
  seals: Seals,
  token: string,
): Promise<Invoice & { readonly environmentId: string }> {
  const [environmentId = '', id = ''] = (seals.openFacts(purpose, token) ?? []) as string[]
  const invoice =
    id === '' ? undefined : await withEnvironment(pool, environmentId, (tx) => findInvoice(tx, environmentId, id))
  if (invoice === undefined) throw invoiceError('INVOICE_NOT_FOUND')
  return { ...invoice, environmentId }
}
