import type { Clock } from '../base/clock.ts'
import type { Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import type { Contents } from '../mail/compose.ts'
import { postMail, writeMail } from '../mail/outbox.ts'
import type { Environment } from './keys.ts'
import { findShops } from './store.ts'

type Notice = Pick<Contents['notice'], 'what' | 'name' | 'reason'> & { readonly aboutId: string }

/** Writes to the merchant, if it told us where, about what concerns the safety of its shop. In the commit of what it tells. */
export async function notifyMerchant(
  tx: Tx,
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  { environmentId, mode }: Environment,
  { aboutId, ...notice }: Notice,
): Promise<void> {
  const shop = (await findShops(tx, [environmentId])).get(environmentId)
  if (shop === undefined || shop.contactEmail === '') return
  const { name: merchant, language, timeZone, contactEmail: to } = shop
  const content = { ...notice, merchant, mode, moment: { at: clock().toISOString(), timeZone } }
  await postMail(tx, writeMail(newId, { environmentId, aboutId, to, language, kind: 'notice', content }))
}
