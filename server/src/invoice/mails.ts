import type { Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import type { Contents } from '../mail/compose.ts'
import { postMail, writeMail } from '../mail/outbox.ts'
import type { Mode } from '../ledger/book.ts'
import { findShop } from '../merchant/store.ts'
import type { Invoice } from './store.ts'

type Facts = Pick<Invoice, 'id' | 'number' | 'email' | 'fullName'>

/** Writes to the merchant that one was submitted, if it told us where, and to who submitted it what became of it. */
export async function mailInvoice(
  tx: Tx,
  newId: NewId,
  { environmentId, mode }: { readonly environmentId: string; readonly mode: Mode },
  { id, number, email, fullName }: Facts,
  { what, money, reason = '' }: Pick<Contents['invoice'], 'what' | 'money'> & { readonly reason?: string },
): Promise<void> {
  const { name: merchant, language, contactEmail } = await findShop(tx, environmentId)
  const to = what === 'submitted' ? contactEmail : email
  if (to === '') return
  const content = { what, merchant, fullName, number, money, reason, mode }
  await postMail(tx, writeMail(newId, { environmentId, aboutId: id, to, language, kind: 'invoice', content }))
}
