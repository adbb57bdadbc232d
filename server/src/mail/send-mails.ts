import type { Clock } from '../base/clock.ts'
import type { Db, Pool } from '../base/db.ts'
import type { Leases } from '../base/lease.ts'
import type { Log } from '../base/log.ts'
import { noteFailure, noteSuccess } from '../base/outage.ts'
import type { Seals } from '../base/seal.ts'
import { activeSpan, inRoot } from '../base/trace.ts'
import { execute, list, type RowOf, select, selectValue, sql } from '../base/sql.ts'
import { createCheck } from '../http/validation.ts'
import { type MailBrand, noBrand } from './brand.ts'
import { compose, isForCustomer, type Stage, storedMail } from './compose.ts'
import { drawImages } from './images.ts'
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
  readonly log: Log
  readonly findBrand: (environmentId: string) => Promise<MailBrand>
}

const emailServer = { name: 'The email server', failing: 'The email server takes no emails. They stay queued.' }
const minute = 60_000
const hour = 60 * minute
const waitsMs = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour]
const atOnce = 10
const timeoutMs = 20_000

const isStoredMail = createCheck(storedMail)

const dueColumns = list({
  ...mails.columns('', 'id', 'environmentId', 'recipient', 'language', 'content', 'keyId', 'attempts'),
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
  let transport: Promise<Transport> | undefined
  /** Results that are not recorded yet. They are recorded before more emails are sent. */
  const unrecorded = new Map<string, Outcome>()

  return {
    run: async () => {
      if (!(await tools.leases.claim('mails'))) return false
      try {
        await record(tools.pool, unrecorded)
        const due = await findDueMails(tools.pool, tools.clock(), atOnce)
        // All are written before the first is sent, so that they leave in the order in which they were queued.
        const written = await Promise.all(
          due.map(async (mail) => ({ mail, message: await writeMessage(tools, mailServer, mail).catch(asError) })),
        )
        transport ??= connectTransport(mailServer)
        const connected = await transport
        await Promise.all(
          written.map(async ({ mail, message }) =>
            unrecorded.set(mail.id, await sendTraced(tools, connected, mail, message)),
          ),
        )
        await record(tools.pool, unrecorded)
        return due.length === atOnce
      } finally {
        await tools.leases.release('mails')
      }
    },
    stop: async () => (await transport)?.close(),
  }
}

type Transport = Awaited<ReturnType<typeof connectTransport>>

async function connectTransport({ url, requireTls }: MailServer) {
  // Loaded by workers that send emails only.
  const { createTransport } = await import('nodemailer')
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

type Message = Parameters<Transport['sendMail']>[0]

async function writeMessage(tools: MailTools, { from }: MailServer, mail: DueMail): Promise<Message> {
  const { id, environmentId, recipient, language, kind, content, keyId, sealed } = mail
  const secret = keyId === null || sealed === null ? '' : tools.seals.open(id, { keyId, sealed })
  const stored: unknown = { kind, content }
  if (!isStoredMail(stored)) throw new Error('The stored content of an email does not fit its kind.')
  const isBranded = environmentId !== null && isForCustomer(stored)
  const brand = isBranded ? await tools.findBrand(environmentId) : noBrand
  const letter = compose(stored, language, secret, tools, brand)
  return {
    messageId: `<${id}@${from.address.split('@')[1] ?? 'localhost'}>`,
    from,
    to: { name: '', address: recipient },
    subject: letter.subject,
    text: toText(letter),
    html: toHtml(letter),
    attachments: await drawImages(letter),
    // Suppresses automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** A trace of its own, which names the email and never the recipient. */
function sendTraced(tools: MailTools, transport: Transport, mail: DueMail, message: Message | Error): Promise<Outcome> {
  return inRoot('email', { 'scrip.mail.id': mail.id, 'scrip.mail.kind': mail.kind }, async () => {
    const outcome = await sendOne(tools, transport, mail, message)
    activeSpan()?.set({ 'scrip.mail.sent': outcome.isSent })
    return outcome
  })
}

/** `message` is an error if it could not be written. */
async function sendOne(
  { clock, log }: MailTools,
  transport: Transport,
  { attempts }: DueMail,
  message: Message | Error,
): Promise<Outcome> {
  try {
    if (message instanceof Error) throw message
    const sent = await transport.sendMail(message)
    noteSuccess(log, emailServer)
    return { isSent: true, nextAt: null, said: sent.response }
  } catch (error) {
    if (error !== message && !isPermanentRefusal(error)) noteFailure(log, emailServer, error)
    const waitMs = waitsMs[attempts]
    const nextAt = waitMs === undefined || isPermanentRefusal(error) ? null : new Date(clock().getTime() + waitMs)
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
