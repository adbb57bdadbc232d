import type { Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { timeOfId } from '../base/id.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import { selectValue } from '../base/sql.ts'
import { defineDocument, type Document } from '../ledger/document.ts'
import type { Contents, MailKind } from './compose.ts'
import type { Language } from './words.ts'

const mailDocument = defineDocument('mails', {
  id: 'uuid',
  environmentId: 'uuid?',
  aboutId: 'uuid',
  recipient: 'text',
  language: 'text',
  kind: 'text',
  content: 'json',
  keyId: 'smallint?',
  secretSealed: 'bytea?',
  nextAttemptAt: 'timestamptz',
  createdAt: 'timestamptz',
})

export type Mail<Kind extends MailKind = MailKind> = {
  /** Null for an email to a user that belongs to no merchant. */
  readonly environmentId: string | null
  /** The object that the email is about. */
  readonly aboutId: string
  readonly to: string
  readonly language: Language
  readonly kind: Kind
  readonly content: Contents[Kind]
  /** A code in the email. It is stored encrypted until the email is sent, then deleted. */
  readonly secret?: { readonly text: string; readonly seals: Seals; readonly random: Random }
}

/** Creates an email as a document, to be committed together with its journal. */
export function writeMail<Kind extends MailKind>(newId: NewId, { secret, ...mail }: Mail<Kind>): Document {
  const id = newId()
  const sealed = secret?.seals.seal(id, secret.text, secret.random)
  return mailDocument({
    ...mail,
    id,
    recipient: mail.to,
    content: JSON.stringify(mail.content),
    keyId: sealed?.keyId,
    secretSealed: sealed?.sealed,
    nextAttemptAt: timeOfId(id),
    createdAt: timeOfId(id),
  })
}

/** Saves an email in the caller's transaction, if there is no journal. */
export async function postMail(tx: Tx, { table, row }: Document): Promise<void> {
  await tx.query(table.insert, table.toColumns([row]))
}

/** Counts the emails of this kind about an object of the environment. */
export async function countMails(tx: Tx, environmentId: string, aboutId: string, kind: MailKind): Promise<number> {
  const found = await selectValue<bigint>(tx)`
    select count(*) from mails where environment_id = ${environmentId} and about_id = ${aboutId} and kind = ${kind}`
  return Number(found ?? 0)
}
