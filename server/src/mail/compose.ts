import Type, { type Static } from 'typebox'
import { type Mode, modes } from '../base/mode.ts'
import { type DecimalAmount, writeAmount } from '../base/write-amount.ts'
import type { MailBrand } from './brand.ts'
import type { Block, Letter } from './letter.ts'
import { type Language, formatDay, formatMoment, imprintOf, words } from './words.ts'

const text = Type.String()
const money = Type.Object({ amount: text, currency: text })
const moment = Type.Object({ at: text, timeZone: text })
const mode = Type.Enum(modes)

const gift = Type.Object({
  shop: text,
  money,
  lastDay: Type.String({ description: '2031-12-31, or empty' }),
  isLocked: Type.Boolean(),
  mode,
  // Where an onchain voucher is.
  place: Type.Optional(Type.Object({ network: text, vault: text })),
  // Who gives it, and what they write.
  sender: Type.Optional(text),
  message: Type.Optional(text),
})

const receipt = Type.Object({
  shop: text,
  isRefund: Type.Boolean(),
  amount: money,
  charges: money,
  total: money,
  refunded: money,
  reference: text,
  moment,
  mode,
})

const notice = Type.Object({
  what: Type.Enum(['key_created', 'key_rotated', 'key_revoked', 'webhook_disabled']),
  merchant: text,
  // The name of the key, or the URL of the webhook endpoint.
  name: text,
  // Why a webhook endpoint was disabled.
  reason: Type.Optional(Type.Enum(['gone', 'failing'])),
  moment,
  mode,
})

/** To the merchant about a new invoice, or to its submitter about its state. */
const invoice = Type.Object({
  what: Type.Enum(['submitted', 'received', 'approved', 'rejected']),
  merchant: text,
  fullName: text,
  number: text,
  money,
  reason: text,
  mode,
})

/** To a user about signing in. The secret is the token of the link. */
const link = Type.Object({
  what: Type.Enum(['sign_up', 'known', 'reset', 'unknown', 'password_changed', 'passkey_added', 'invite']),
  // The inviting merchant, if there is one.
  merchant: text,
  mode,
})

/** The data of each kind of email. It is stored until the email is sent, so it contains no secrets. */
export const storedMail = Type.Union([
  Type.Object({ kind: Type.Literal('gift'), content: gift }),
  Type.Object({ kind: Type.Literal('receipt'), content: receipt }),
  Type.Object({ kind: Type.Literal('notice'), content: notice }),
  Type.Object({ kind: Type.Literal('invoice'), content: invoice }),
  Type.Object({ kind: Type.Literal('link'), content: link }),
])
type StoredMail = Static<typeof storedMail>

export const mailKinds = storedMail.anyOf.map(({ properties }) => properties.kind.const)
export type MailKind = StoredMail['kind']
export type Contents = { [Kind in MailKind]: Extract<StoredMail, { kind: Kind }>['content'] }

/** Whether an email goes to a customer of a shop. The others are from the platform, and look like it. */
export function isForCustomer({ kind, content }: StoredMail): boolean {
  return kind === 'gift' || kind === 'receipt' || (kind === 'invoice' && content.what !== 'submitted')
}

export type Stage = { readonly platformName: string; readonly publicUrl: string }

/** Writes an email in the reader's language. `secret` is a gift's voucher code, or the token of a link or an invoice. */
export function compose(mail: StoredMail, language: Language, secret: string, stage: Stage, brand: MailBrand): Letter {
  return { ...composeMessage(mail, language, secret, stage), brand, imprint: imprintOf(language, brand) }
}

type Message = Omit<Letter, 'brand' | 'imprint'>

function composeMessage({ kind, content }: StoredMail, language: Language, secret: string, stage: Stage): Message {
  if (kind === 'gift') return composeGift(content, language, secret, stage)
  if (kind === 'receipt') return composeReceipt(content, language, stage)
  if (kind === 'invoice') return composeInvoice(content, language, secret, stage)
  if (kind === 'link') return composeLink(content, language, secret, stage)
  return composeNotice(content, language, stage)
}

function composeGift(gift: Contents['gift'], language: Language, code: string, stage: Stage): Message {
  const { shop, lastDay, isLocked, mode, place, sender = '', message = '' } = gift
  const say = words[language].gift
  const money = writeAmount(language, gift.money)
  const note = lastDay === '' ? '' : say.until(formatDay(language, lastDay))
  // After the #, so that the code never reaches a server's log.
  const link = `${stage.publicUrl}/v#${code}`
  return {
    ...framed(language, shop, mode, stage),
    subject: say.subject(shop, money),
    preview: say.text,
    blocks: present<Block>(
      { is: 'title', text: sender === '' ? say.title(shop) : say.titleFrom(sender) },
      message !== '' && { is: 'text', text: message },
      { is: 'ticket', shop, amount: money, code, note, qr: { link, alt: say.qr } },
      { is: 'text', text: say.text },
      isLocked && { is: 'text', text: say.locked(shop) },
      place !== undefined && {
        is: 'rows',
        rows: [
          [say.network, place.network],
          [say.vault, place.vault],
        ],
      },
      // A voucher with a PIN can be redeemed through us only.
      place !== undefined && !isLocked && { is: 'text', text: say.place },
      { is: 'button', label: say.open, url: link },
      { is: 'small', text: say.careful },
    ),
  }
}

function composeReceipt(receipt: Contents['receipt'], language: Language, stage: Stage): Message {
  const { shop, isRefund, reference, moment, mode } = receipt
  const say = words[language].receipt
  const money = (of: DecimalAmount): string => writeAmount(language, of)
  const isPositive = (of: DecimalAmount): boolean => /[1-9]/.test(of.amount)
  const rows = present<Row>(
    [say.at, shop],
    [isRefund ? say.refunded : say.amount, money(receipt.amount)],
    isPositive(receipt.charges) && [say.charges, money(receipt.charges)],
    !isRefund && [say.total, money(receipt.total)],
    isPositive(receipt.refunded) && [say.refundedSince, money(receipt.refunded)],
    [say.when, formatMoment(language, moment)],
    [say.reference, reference],
  )
  const subject = isRefund ? say.refundSubject : say.subject
  return {
    ...framed(language, shop, mode, stage),
    subject: subject(shop, money(receipt.amount)),
    preview: `${shop}, ${money(receipt.amount)}`,
    blocks: [
      { is: 'title', text: isRefund ? say.refundTitle : say.title },
      { is: 'rows', rows },
    ],
  }
}

function composeNotice(notice: Contents['notice'], language: Language, stage: Stage): Message {
  const { what, merchant, name, reason, moment, mode } = notice
  const say = words[language].notice
  const { subject, text } = say.kinds[what]
  const isKey = what !== 'webhook_disabled'
  const rows = present<Row>(
    [isKey ? say.key : say.address, name],
    [say.mode, say.modes[mode]],
    reason !== undefined && [say.reason, say.reasons[reason]],
    [say.when, formatMoment(language, moment)],
  )
  return {
    // Not marked as a test: a key of a test environment is a real key.
    ...framed(language, merchant, 'live', stage),
    from: stage.platformName,
    subject: `${merchant}: ${subject}`,
    preview: text,
    blocks: present<Block>(
      { is: 'title', text: subject },
      { is: 'text', text },
      { is: 'rows', rows },
      isKey && { is: 'text', text: say.unexpected },
      { is: 'small', text: say.who(merchant) },
    ),
  }
}

function composeInvoice(invoice: Contents['invoice'], language: Language, token: string, stage: Stage): Message {
  const { what, merchant, fullName, number, reason, mode } = invoice
  const say = words[language].invoice
  const { subject, text } = say.kinds[what](merchant)
  const rows = present<Row>(
    [say.number, number],
    what === 'submitted' && [say.from, fullName],
    [say.amount, writeAmount(language, invoice.money)],
    reason !== '' && [say.reason, reason],
  )
  return {
    ...framed(language, merchant, mode, stage),
    subject,
    preview: text,
    blocks: present<Block>(
      { is: 'title', text: subject },
      { is: 'text', text },
      { is: 'rows', rows },
      token !== '' && { is: 'button', label: say.follow, url: `${stage.publicUrl}/invoice#${token}` },
    ),
  }
}

function composeLink(content: Contents['link'], language: Language, token: string, stage: Stage): Message {
  const { what, merchant, mode } = content
  const say = words[language].link
  const { subject, text, button, small } = say[what](merchant || stage.platformName)
  return {
    from: stage.platformName,
    isTest: mode === 'test',
    testNote: words[language].test,
    subject,
    preview: text,
    blocks: present<Block>(
      { is: 'title', text: subject },
      { is: 'text', text },
      // After the #, like a voucher code.
      button !== undefined && { is: 'button', label: button, url: `${stage.publicUrl}/link#${token}` },
      { is: 'small', text: small },
    ),
  }
}

type Row = readonly [name: string, value: string]

/** The parts that are not false. */
function present<T>(...parts: readonly (T | false)[]): T[] {
  return parts.filter((part): part is T => part !== false)
}

function framed(
  language: Language,
  shop: string,
  mode: Mode,
  { platformName }: Stage,
): Pick<Message, 'from' | 'isTest' | 'testNote'> {
  const { on, test } = words[language]
  return { from: on(platformName, shop), isTest: mode === 'test', testNote: test }
}
