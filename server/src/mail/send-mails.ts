import { createTransport } from 'nodemailer'
import type { Clock } from '../base/clock.ts'
import type { Db, Pool } from '../base/db.ts'
import type { Ownership } from '../base/ownership.ts'
import type { Seals } from '../base/seal.ts'
import { execute, select, selectValue } from '../base/sql.ts'
import { compose, type Contents, type MailKind, type Stage } from './compose.ts'
import { toHtml, toText } from './letter.ts'
import type { Language } from './words.ts'

export type MailServer = { readonly url: string; readonly from: { readonly name: string; readonly address: string } }

export type MailTools = Stage & {
  readonly pool: Pool
  readonly clock: Clock
  readonly seals: Seals
  readonly ownership: Ownership
  readonly mailServer: MailServer | undefined
}

const minute = 60_000
const hour = 60 * minute
const waitsMs = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour]
const atOnce = 10
const timeoutMs = 20_000

type DueMail = {
  id: string
  recipient: string
  language: Language
  kind: MailKind
  content: Contents[MailKind]
  keyId: number | null
  sealed: Buffer | null
  attempts: number
}

/**
 * Sends what is due, in one process at a time. What a mail server has taken and nobody lived to record is sent again, with the same
 * Message-ID, by which a mail box can tell. Without a mail server nothing is sent and nothing is lost: mails wait.
 */
export function createSendMails(tools: MailTools): { run: () => Promise<boolean>; stop: () => Promise<void> } {
  const { mailServer } = tools
  if (mailServer === undefined) return { run: () => Promise.resolve(false), stop: () => Promise.resolve() }
  const transport = connectTransport(mailServer)
  /** What became of mails, until it is written down. Before that nothing more is sent. */
  const unwritten = new Map<string, Outcome>()

  return {
    run: async () => {
      if (!(await tools.ownership.take('mails'))) return false
      try {
        await writeDown(tools.pool, unwritten)
        const due = await findDueMails(tools.pool, tools.clock(), atOnce)
        await Promise.all(
          due.map(async (mail) => unwritten.set(mail.id, await sendOne(tools, mailServer, transport, mail))),
        )
        await writeDown(tools.pool, unwritten)
        return due.length === atOnce
      } finally {
        await tools.ownership.give('mails')
      }
    },
    stop: () => {
      transport.close()
      return Promise.resolve()
    },
  }
}

type Transport = ReturnType<typeof connectTransport>

function connectTransport({ url }: MailServer) {
  return createTransport({
    url,
    pool: true,
    maxConnections: 5,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Nothing that a mail says may make us read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

async function sendOne(tools: MailTools, server: MailServer, transport: Transport, mail: DueMail): Promise<Outcome> {
  const { id, recipient, language, kind, content, keyId, sealed } = mail
  try {
    const secret = keyId === null || sealed === null ? '' : tools.seals.open(id, { keyId, sealed })
    const letter = compose(kind, content, language, secret, tools)
    const sent = await transport.sendMail({
      messageId: `<${id}@${server.from.address.split('@')[1] ?? 'localhost'}>`,
      from: server.from,
      to: { name: '', address: recipient },
      subject: letter.subject,
      text: toText(letter),
      html: toHtml(letter),
      // Nobody's holiday reply.
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    })
    return { isSent: true, nextAt: null, said: sent.response }
  } catch (error) {
    const waitMs = waitsMs[mail.attempts]
    const nextAt = waitMs === undefined || isRefusedForGood(error) ? null : new Date(tools.clock().getTime() + waitMs)
    return { isSent: false, nextAt, said: error instanceof Error ? error.message : '' }
  }
}

/** A mail server that answers in the five hundreds says that it will not take this mail later either. */
function isRefusedForGood(error: unknown): boolean {
  const status = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
  // Of its reader or its content. Any other command is about us, and may be mended.
  const command = error instanceof Error && 'command' in error ? error.command : ''
  return status >= 500 && status < 600 && (command === 'RCPT TO' || command === 'DATA')
}

async function writeDown(db: Db, unwritten: Map<string, Outcome>): Promise<void> {
  for (const [id, outcome] of unwritten) {
    await noteMail(db, id, outcome)
    unwritten.delete(id)
  }
}

async function findDueMails(db: Db, at: Date, limit: number): Promise<DueMail[]> {
  return select<DueMail>(db)`
    select id, recipient, language, kind, content, key_id as "keyId", secret_sealed as sealed, attempts
      from due_mails(${at}, ${limit})`
}

type Outcome = { readonly isSent: boolean; readonly nextAt: Date | null; readonly said: string }

async function noteMail(db: Db, id: string, { isSent, nextAt, said }: Outcome): Promise<void> {
  await execute(db)`select note_mail(${id}, ${isSent}, ${nextAt}, ${said.slice(0, 500).replaceAll('\0', '')})`
}

/** Drops mails older than thirty days. Says how many. */
export async function forgetMails(db: Db, at: Date, limit: number): Promise<number> {
  const found = await selectValue<number>(db)`select forget_mails(${at}, ${limit}) as forgotten`
  return found ?? 0
}
