// A mail server on this machine that stores what it receives, for tests and for `npm run dev`.
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = Email & { readonly recipients: readonly string[] }
export type Mailbox = {
  readonly url: string
  readonly received: ReceivedMail[]
  readonly close: () => Promise<void>
}

type Refuses = (address: string) => { status: number; text: string } | undefined

/** `refuses` and `refusesSender` may reject a recipient or a sender with an SMTP response. */
export async function openMailbox(
  onMail: (mail: ReceivedMail) => void = () => undefined,
  refuses: Refuses = () => undefined,
  refusesSender: Refuses = () => undefined,
): Promise<Mailbox> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: ({ address }, _, done) => done(toError(refusesSender(address))),
    onRcptTo: ({ address }, _, done) => done(toError(refuses(address))),
    onData: (stream, session, done) => {
      void readAll(stream)
        .then((bytes) => PostalMime.parse(bytes))
        .then(
          (mail) => {
            const recipients = session.envelope.rcptTo.map(({ address }) => address)
            received.push({ ...mail, recipients })
            onMail({ ...mail, recipients })
            done()
          },
          (error: unknown) => done(error as Error),
        )
    },
  })
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((closed) => server.close(closed)),
  }
}

/** The HTML with its inline images in it, for a browser, which does not know the parts of an email. */
export function embedImages({ html = '', attachments }: Pick<ReceivedMail, 'html' | 'attachments'>): string {
  return attachments.reduce((shown, { contentId = '', mimeType, content }) => {
    const data = typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString('base64')
    return shown.replaceAll(`cid:${contentId.replaceAll(/[<>]/g, '')}`, `data:${mimeType};base64,${data}`)
  }, html)
}

async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function toError(refusal: ReturnType<Refuses>): Error | null {
  return refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.status })
}
