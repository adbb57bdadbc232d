import type { Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { timeOfId } from '../base/id.ts'
import type { Random } from '../base/random.ts'
import type { Seals } from '../base/seal.ts'
import { oneOf, orNull, withDefault } from '../base/column-type.ts'
import { selectValue, sql } from '../base/sql.ts'
import { defineTable, type TableRow } from '../base/table.ts'
import { type Document, documentOf, insertDocument } from '../ledger/document.ts'
import { type Contents, type MailKind, mailKinds } from './compose.ts'
import { languages } from './words.ts'

export const mails = defineTable('mails', {
  id: sql.uuid,
  /** Null for an email to a user that belongs to no merchant. */
  environmentId: orNull(sql.uuid),
  /** The object that the email is about. */
  aboutId: sql.uuid,
  recipient: sql.text,
  language: oneOf(languages),
  kind: oneOf(mailKinds),
  content: sql.json,
  keyId: orNull(sql.smallint),
  secretSealed: orNull(sql.bytea),
  /** Null once it is sent or has failed. */
  nextAttemptAt: orNull(sql.timestamptz),
  createdAt: sql.timestamptz,
  attempts: withDefault(sql.smallint),
})
const mailDocument = documentOf(mails)

export type Mail<Kind extends MailKind = MailKind> = Pick<
  TableRow<typeof mails>,
  'environmentId' | 'aboutId' | 'language'
> & {
  readonly to: string
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
export async function postMail(tx: Tx, document: Document): Promise<void> {
  await insertDocument(tx, document)
}

/** Counts the emails of this kind about an object of the environment. */
export async function countMails(tx: Tx, environmentId: string, aboutId: string, kind: MailKind): Promise<number> {
  const found = await selectValue(tx)`
    select ${sql.bigint`count(*)`} from mails where environment_id = ${environmentId} and about_id = ${aboutId} and kind = ${kind}`
  return Number(found ?? 0)
}
