import type { Tx } from '../../base/db.ts'
import type { Contents } from '../../mail/compose.ts'
import { writeMail } from '../../mail/outbox.ts'
import type { Mode } from '../../base/mode.ts'
import type { Document } from '../../ledger/document.ts'
import { findShop } from '../../identity/merchant/store.ts'
import type { IssueTools } from '../../vouchers/voucher/issue.ts'
import { sealInvoice } from './link.ts'
import type { Invoice } from './store.ts'

export type InvoiceNotice = Pick<Contents['invoice'], 'what' | 'money'> & { readonly reason?: string }
type Facts = Pick<Invoice, 'id' | 'number' | 'email' | 'fullName'>

/** Emails the merchant about a new invoice, if it has a contact address, or the submitter about its state. */
export async function invoiceMail(
  tx: Tx,
  tools: Pick<IssueTools, 'newId' | 'random' | 'keyRing' | 'clock'>,
  { environmentId, mode }: { readonly environmentId: string; readonly mode: Mode },
  { id, number, email, fullName }: Facts,
  { what, money, reason = '' }: InvoiceNotice,
): Promise<Document[]> {
  const { newId, random, keyRing: seals } = tools
  const { name: merchant, language, contactEmail } = await findShop(tx, environmentId)
  const to = what === 'submitted' ? contactEmail : email
  if (to === '') return []
  const content = { what, merchant, fullName, number, money, reason, mode }
  // The submitter follows the invoice by a private link. The merchant has an account.
  const secret =
    what === 'submitted'
      ? {}
      : { secret: { text: sealInvoice(tools, environmentId, id, tools.clock()), seals, random } }
  return [writeMail(newId, { environmentId, aboutId: id, to, language, kind: 'invoice', content, ...secret })]
}
