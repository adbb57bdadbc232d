import type { Tx } from '../../base/db.ts'
import type { Contents } from '../../mail/compose.ts'
import { postMail, writeMail } from '../../mail/outbox.ts'
import type { BatchTools } from '../../ledger/batch.ts'
import type { Environment } from './keys.ts'
import { findShop } from './store.ts'

type Notice = Pick<Contents['notice'], 'what' | 'name' | 'reason'> & { readonly aboutId: string }

/** Emails the merchant, if it has a contact address, about a security matter. Part of the caller's transaction. */
export async function notifyMerchant(
  tx: Tx,
  { clock, newId }: BatchTools,
  { environmentId, mode }: Environment,
  { aboutId, ...notice }: Notice,
): Promise<void> {
  const { name: merchant, language, timeZone, contactEmail: to } = await findShop(tx, environmentId)
  if (to === '') return
  const content = { ...notice, merchant, mode, moment: { at: clock().toISOString(), timeZone } }
  await postMail(tx, writeMail(newId, { environmentId, aboutId, to, language, kind: 'notice', content }))
}
