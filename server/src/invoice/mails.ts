import type { Tx } from '../base/db.ts'
import type { Contents } from '../mail/compose.ts'
import { writeMail } from '../mail/outbox.ts'
import type { Mode } from '../ledger/book.ts'
import type { Document } from '../ledger/document.ts'
import { findShop } from '../merchant/store.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { sealInvoice } from './link.ts'
import type { Invoice } from './store.ts'

export type Told = Pick<Contents['invoice'], 'what' | 'money'> & { readonly reason?: string }
type Facts = Pick<Invoice, 'id' | 'number' | 'email' | 'fullName'>

/** A mail to the merchant that one was submitted, if it told us where, and to who submitted it what became of it. */
export async function invoiceMail(
  tx: Tx,
  { newId, random, keyRing: seals }: Pick<IssueTools, 'newId' | 'random' | 'keyRing'>,
  { environmentId, mode }: { readonly environmentId: string; readonly mode: Mode },
  { id, number, email, fullName }: Facts,
  { what, money, reason = '' }: Told,
): Promise<Document[]> {
  const { name: merchant, language, contactEmail } = await findShop(tx, environmentId)
  const to = what === 'submitted' ? contactEmail : email
  if (to === '') return []
  const content = { what, merchant, fullName, number, money, reason, mode }
  // Where who submitted it follows what becomes of it. The merchant has an account for that.
  const secret =
    what === 'submitted' ? {} : { secret: { text: sealInvoice(seals, environmentId, id, random), seals, random } }
  return [writeMail(newId, { environmentId, aboutId: id, to, language, kind: 'invoice', content, ...secret })]
}
