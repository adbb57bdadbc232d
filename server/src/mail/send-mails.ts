import { createTransport } from 'nodemailer'
import { Check } from 'typebox/value'
import type { Clock } from '../base/clock.ts'
import type { Db, Pool } from '../base/db.ts'
import type { Leases } from '../base/lease.ts'
import type { Seals } from '../base/seal.ts'
import { execute, list, type RowOf, select, selectValue, sql } from '../base/sql.ts'
import { compose, type Stage, storedMail } from './compose.ts'
import { toHtml, toText } from './letter.ts'
import { mails } from './outbox.ts'

export type MailServer = {
  readonly url: string
  /** Send nothing before the connection is encrypted. */
  readonly requireTls: boolean
  readonly from: { readonly name: string; readonly address: string }
}

export type MailTools = Stage & {
  readonly pool: Pool
  readonly clock: Clock
  readonly seals: Seals
  readonly leases: Leases
  readonly mailServer: MailServer | undefined
}

const minute = 60_000
const hour = 60 * minute
const waitsMs = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour]
const atOnce = 10
const timeoutMs = 20_000

const dueColumns = list({
  ...mails.columns('', 'id', 'recipient', 'language', 'content', 'keyId', 'attempts'),
  /** Any: an email of a newer version must not stop the others. */
  kind: sql.text`kind`,
  sealed: mails.types.secretSealed`secret_sealed`,
})
type DueMail = RowOf<typeof dueColumns>

/**
 * Sends due emails, in one process at a time. An email that the server accepted but that was not recorded is sent again with the same
 * Message-ID, so that email programs can detect it. Without an email server, emails stay queued.
 */
export function createSendMails(tools: MailTools): { run: () => Promise<boolean>; stop: () => Promise<void> } {
  const { mailServer } = tools
  if (mailServer === undefined) return { run: () => Promise.resolve(false), stop: () => Promise.resolve() }
  const transport = connectTransport(mailServer)
  /** Results that are not recorded yet. They are recorded before more emails are sent. */
  const unrecorded = new Map<string, Outcome>()

  return {
    run: async () => {
      if (!(await tools.leases.claim('mails'))) return false
      try {
        await record(tools.pool, unrecorded)
        const due = await findDueMails(tools.pool, tools.clock(), atOnce)
        await Promise.all(
          due.map(async (mail) => unrecorded.set(mail.id, await sendOne(tools, mailServer, transport, mail))),
        )
        await record(tools.pool, unrecorded)
        return due.length === atOnce
      } finally {
        await tools.leases.release('mails')
      }
    },
    stop: () => {
      transport.close()
      return Promise.resolve()
    },
  }
}

type Transport = ReturnType<typeof connectTransport>

function connectTransport({ url, requireTls }: MailServer) {
  return createTransport({
    url,
    requireTLS: requireTls,
    pool: true,
    maxConnections: 5,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // The content of an email must not make us read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

async function sendOne(tools: MailTools, server: MailServer, transport: Transport, mail: DueMail): Promise<Outcome> {
  const { id, recipient, language, kind, content, keyId, sealed } = mail
  try {
    const secret = keyId === null || sealed === null ? '' : tools.seals.open(id, { keyId, sealed })
    const stored: unknown = { kind, content }
    if (!Check(storedMail, stored)) throw new Error('The stored content of an email does not fit its kind.')
    const letter = compose(stored, language, secret, tools)
    const sent = await transport.sendMail({
      messageId: `<${id}@${server.from.address.split('@')[1] ?? 'localhost'}>`,
      from: server.from,
      to: { name: '', address: recipient },
      subject: letter.subject,
      text: toText(letter),
      html: toHtml(letter),
      // Suppresses automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    })
    return { isSent: true, nextAt: null, said: sent.response }
  } catch (error) {
    const waitMs = waitsMs[mail.attempts]
    const nextAt = waitMs === undefined || isPermanentRefusal(error) ? null : new Date(tools.clock().getTime() + waitMs)
    return { isSent: false, nextAt, said: error instanceof Error ? error.message : '' }
  }
}

/** Whether the server refused this email permanently, with a 5xx status. */
function isPermanentRefusal(error: unknown): boolean {
  const status = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
  // Only for the recipient or the content. Other commands concern our connection, which the operator may fix.
  const command = error instanceof Error && 'command' in error ? error.command : ''
  return status >= 500 && status < 600 && (command === 'RCPT TO' || command === 'DATA')
}

async function record(db: Db, unrecorded: Map<string, Outcome>): Promise<void> {
  for (const [id, outcome] of unrecorded) {
    await recordOne(db, id, outcome)
    unrecorded.delete(id)
  }
}

async function findDueMails(db: Db, at: Date, limit: number): Promise<DueMail[]> {
  return select(db)`select ${dueColumns} from due_mails(${at}, ${limit})`
}

type Outcome = { readonly isSent: boolean; readonly nextAt: Date | null; readonly said: string }

async function recordOne(db: Db, id: string, { isSent, nextAt, said }: Outcome): Promise<void> {
  await execute(db)`select note_mail(${id}, ${isSent}, ${nextAt}, ${said.slice(0, 500).replaceAll('\0', '')})`
}

/** Deletes emails older than 30 days. Returns how many. */
export async function forgetMails(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue(db)`select ${sql.integer`forget_mails(${at}, ${limit})`}`
  return found ?? 0
}
