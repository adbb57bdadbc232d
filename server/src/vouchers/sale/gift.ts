import { inTransaction, type Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { dueBy, processDue } from '../../base/jobs.ts'
import { formatMoney } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { type Document, insertDocument } from '../../ledger/document.ts'
import type { Language } from '../../mail/words.ts'
import { isExpired, isReal, timeForm } from '../voucher/expiry.ts'
import { giftMail } from '../voucher/gift-mail.ts'
import type { MintTools } from '../voucher/mint.ts'
import { lockVoucher, type Voucher } from '../voucher/store.ts'
import { saleError } from './errors.ts'
import { endGift, type Gift, giftDocument, lockGift, saveSent } from './gift-store.ts'

export type GiftInput = {
  readonly email: string
  readonly sender?: string
  readonly message?: string
  /** A time, as the client wrote it. Left out: at once. */
  readonly sendAt?: string
  readonly language?: Language
}

type GiftTools = PostTools & MintTools

const yearMs = 366 * 24 * 60 * 60 * 1_000
const sendsMax = 10
const dueAtOnce = 100

/** The time at which a gift is sent, or undefined for one that is sent at once. */
export function readSendAt(text: string | undefined, at: Date): Date | undefined {
  if (text === undefined) return undefined
  const sendAt = timeForm.test(text) && isReal(text) ? new Date(text) : undefined
  if (sendAt === undefined || sendAt <= at || sendAt.getTime() - at.getTime() > yearMs)
    throw saleError('GIFT_DATE_INVALID', { param: 'gift.sendAt' })
  return sendAt
}

/** The rows of a gift that is sold: the gift, and its email unless that is sent later. */
export async function giftDocuments(
  tools: GiftTools,
  tx: Tx,
  voucher: Pick<Voucher, 'id' | 'environmentId' | 'mode' | 'amount' | 'currency' | 'expiresAt'> & {
    readonly code: string
    readonly isLocked: boolean
  },
  gift: GiftInput,
): Promise<Document[]> {
  const at = tools.clock()
  const sendAt = readSendAt(gift.sendAt, at)
  // Its value would have expired, and nothing would be sent.
  if (isExpired(voucher, sendAt ?? at)) throw saleError('GIFT_DATE_INVALID', { param: 'gift.sendAt' })
  const { email, sender = '', message = '', language } = gift
  const row = giftDocument({
    environmentId: voucher.environmentId,
    voucherId: voucher.id,
    email,
    sender: sender.trim(),
    message: message.trim(),
    language,
    sendAt: sendAt ?? at,
    sentAt: sendAt === undefined ? at : undefined,
    sends: sendAt === undefined ? 1 : 0,
  })
  if (sendAt !== undefined) return [row]
  return [
    row,
    await mailOf(tools, tx, voucher, {
      email,
      sender: sender.trim(),
      message: message.trim(),
      language: language ?? null,
    }),
  ]
}

async function mailOf(
  tools: GiftTools,
  tx: Tx,
  voucher: Pick<Voucher, 'id' | 'environmentId' | 'mode' | 'amount' | 'currency' | 'expiresAt'> & {
    readonly code: string
    readonly isLocked: boolean
  },
  { email, sender, message, language }: Pick<Gift, 'email' | 'sender' | 'message' | 'language'>,
): Promise<Document> {
  const { id, environmentId, mode, code, amount, currency, expiresAt, isLocked } = voucher
  const minor = { minor: amount, currency: await findCurrency(tx, currency, 'any') }
  return giftMail(tools, tx, {
    environmentId,
    mode,
    id,
    code,
    to: email,
    language: language ?? undefined,
    from: undefined,
    message: { sender, message },
    money: { amount: formatMoney(minor), currency },
    expiresAt,
    isLocked,
    place: undefined,
  })
}

/** Sends a gift again, to the same or to another address. Also sends one before its day. */
export async function sendAgain(
  tools: GiftTools,
  { environmentId, role }: MerchantCaller,
  { voucherId, email }: { readonly voucherId: string; readonly email: string | undefined },
): Promise<void> {
  await inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const gift = await lockGift(tx, environmentId, voucherId)
    if (gift === undefined) throw saleError('GIFT_NOT_FOUND')
    const isElsewhere = email !== undefined && email.toLowerCase() !== gift.email.toLowerCase()
    // The email has the code: a cashier could send themselves the gifts of all customers.
    if (isElsewhere && role === 'cashier') throw saleError('GIFT_ADDRESS_FIXED', { param: 'email' })
    if (gift.sends >= sendsMax) throw saleError('GIFT_SENT_OFTEN')
    const isSent = await send(tools, tx, { ...gift, email: email ?? gift.email })
    if (!isSent) throw saleError('GIFT_ENDED')
  })
}

/** Sends gifts on their day. */
export function createSendGifts(tools: GiftTools): () => Promise<boolean> {
  const { pool, clock } = tools
  return processDue(clock, dueAtOnce, dueBy(pool, 'due_gifts'), ({ environmentId, id }) =>
    inTransaction(pool, async (tx) => {
      await actFor(tx, environmentId)
      const gift = await lockGift(tx, environmentId, id)
      // Another worker sent it, or somebody did before its day.
      if (gift === undefined || gift.sentAt !== null || gift.endedAt !== null) return
      const isSent = await send(tools, tx, gift)
      if (!isSent) await endGift(tx, gift, clock())
    }),
  )
}

/** Writes the email in the transaction that records it. Returns false if there is nothing left to give. */
async function send(tools: GiftTools, tx: Tx, gift: Gift): Promise<boolean> {
  const at = tools.clock()
  const voucher = await lockVoucher(tx, gift.voucherId, at)
  const isGone = voucher === undefined || voucher.state === 'closed' || voucher.replacedBy !== null
  if (isGone || voucher.balance === 0n || isExpired(voucher, at)) return false
  const code = tools.keyRing.open(voucher.id, voucher)
  // What is left, if a part was spent already.
  const shown = { ...voucher, amount: voucher.balance, code, isLocked: voucher.hasPin }
  await insertDocument(tx, await mailOf(tools, tx, shown, gift))
  await saveSent(tx, gift, gift.email, at)
  return true
}
