import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { formatMoney, type Money, parseMoney } from '../base/money.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../currency/store.ts'
import type { Owner } from '../http/caller.ts'
import type { Account } from '../ledger/account.ts'
import { ensureBook, type Mode } from '../ledger/book.ts'
import type { Document } from '../ledger/document.ts'
import type { Journal, Posted } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/post.ts'
import { findPosted } from '../ledger/store.ts'
import { merchantError } from '../merchant/errors.ts'
import { writeMail } from '../mail/outbox.ts'
import type { Language } from '../mail/words.ts'
import { findEnvironments, findExpiredTo, findShop } from '../merchant/store.ts'
import { referenceKey, retell } from '../transaction/reference.ts'
import { freeTransaction, type TransactionType } from '../transaction/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import { showCode, tailOf } from './code.ts'
import { voucherError } from './errors.ts'
import { voucherEvent } from './events.ts'
import { lastDayOf, readExpiry } from './expiry.ts'
import { mintVoucher, type MintTools } from './mint.ts'
import { listOwnVouchers, type RecipientKind, type Voucher } from './store.ts'

export type IssueTools = MintTools & PostTools & { readonly ledger: Ledger }

export type Issuer = Owner

type Buyer = { readonly userId: string; readonly name: string }

export type Issue = {
  /** Major units, as they were written. */
  readonly amount: string
  readonly currency: string
  readonly reference: string
  /** The issuer's balance, value that the operator or the sandbox puts up, or the wallet of who buys it. */
  readonly paidFrom: 'balance' | 'treasury' | Buyer
  /** What its transaction is, if not the purchase of a voucher. */
  readonly type?: TransactionType
  readonly lockPin?: string | undefined
  /** Codes of the merchants where it can be redeemed. None: everywhere. */
  readonly onlyAt?: readonly string[] | undefined
  /** A date, to its end in the issuer's time zone, or a time. */
  readonly expires?: string | undefined
  readonly recipient?: { readonly kind: RecipientKind; readonly name: string } | undefined
  /** It is sent to the recipient's e-mail address, in this language or else the issuer's. */
  readonly gift?: { readonly language?: Language | undefined; readonly email?: string } | undefined
}

export type Issued = {
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly code: string
  readonly replayed: boolean
}

/** Makes a voucher and puts its value on it, in one commit. A repeat of its reference answers with the same voucher. */
export async function issueVoucher(tools: IssueTools, issuer: Issuer, ask: Issue): Promise<Issued> {
  const currency = await findCurrency(tools.pool, ask.currency, 'any')
  const amount = parseMoney(ask.amount, currency)
  const key = referenceKey(issuer.environmentId, ask.reference)
  const asked = JSON.stringify([
    'voucher.issue',
    ...(typeof ask.paidFrom === 'string' ? [ask.paidFrom] : []),
    ask.currency,
    String(amount.minor),
    [...(ask.onlyAt ?? [])].sort(),
    ask.expires ?? '',
    ask.recipient ?? '',
    // That there is a pin, and never which.
    ask.lockPin !== undefined,
    ...(ask.gift === undefined ? [] : ['gift']),
  ])
  try {
    const known = await findPosted(tools.pool, key, asked)
    if (known !== undefined) return await readIssued(tools, issuer, known)
    // Rules come after the key: a repeat is answered also when they have changed.
    pickCurrency([currency], currency.code)
    refuseDust(parseAmount(ask.amount, currency), currency)
    const journal = await issueJournal(tools, issuer, ask, amount, { key, asked })
    return await readIssued(tools, issuer, await tools.ledger.post(journal))
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => voucherError('ISSUER_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** The voucher, its value, its mail and its event, to be posted. The journal has the voucher's id. */
export async function issueJournal(
  tools: IssueTools,
  issuer: Issuer,
  ask: Issue,
  amount: Money,
  { key, asked }: Pick<Journal, 'key' | 'asked'>,
): Promise<Journal> {
  const { environmentId, mode } = issuer
  const { recipient, lockPin } = ask
  const onlyAt = await readPlaces(tools.pool, ask.onlyAt ?? [], mode)
  const expiresAt = await readExpiry(tools, issuer, ask.expires)
  const bookId = await ensureBook(tools.pool, mode, ask.currency)
  if (recipient?.kind === 'merchant') await readPlaces(tools.pool, [recipient.name], mode, 'forMerchant')
  const isPaid = ask.paidFrom !== 'treasury'
  const buyer = typeof ask.paidFrom === 'object' ? ask.paidFrom : undefined
  const expiredTo = await findExpiredTo(tools.pool, environmentId)
  const terms = { onlyAt, expiresAt, expiredTo, recipient, lockPin, wasPaidFor: isPaid, buyerId: buyer?.userId }
  const minted = mintVoucher(tools, { environmentId, bookId, amount: amount.minor, ...terms })
  const { id, code, account, documents } = minted
  const own: Account = { bookId, ownerId: environmentId, kind: isPaid ? 'merchant' : 'treasury' }
  const from = buyer === undefined ? own : walletAccount(buyer.userId, bookId)
  const { memberId } = issuer
  const bought = {
    environmentId,
    id,
    bookId,
    amount: amount.minor,
    userId: buyer?.userId,
    memberId,
    codeTail: tailOf(code),
  }
  if (isPaid) documents.push(freeTransaction(ask.type ?? 'VOUCHER_PURCHASE', ask.reference, bought))
  if (buyer !== undefined)
    documents.push(walletMove({ userId: buyer.userId, id, bookId, kind: 'bought', amount: -amount.minor }))
  if (ask.gift !== undefined) documents.push(await giftMail(tools, issuer, ask, amount, { id, code, expiresAt }))
  const issued = { voucherId: id, reference: ask.reference, amount: formatMoney(amount), currency: ask.currency }
  const events = [voucherEvent('voucher.issued', { environmentId, about: account }, issued)]
  const transfers = [{ from, to: account, amount: amount.minor }]
  const open = isPaid ? [account] : [account, from]
  return { id, kind: 'voucher.issue', key, asked, alternatives: [{ transfers, open, documents, events }] }
}

async function giftMail(
  { pool, newId, keyRing, random }: IssueTools,
  { environmentId, mode }: Issuer,
  { recipient, lockPin, gift, currency, paidFrom }: Issue,
  amount: Money,
  { id, code, expiresAt }: { id: string; code: string; expiresAt: Date | undefined },
): Promise<Document> {
  const to = gift?.email ?? (recipient?.kind === 'email' ? recipient.name : undefined)
  if (to === undefined) throw voucherError('RECIPIENT_MISSING', { param: 'forEmail' })
  const shop = await findShop(pool, environmentId)
  return writeMail(newId, {
    environmentId,
    aboutId: id,
    to,
    language: gift?.language ?? shop.language,
    kind: 'gift',
    content: {
      shop: typeof paidFrom === 'object' ? paidFrom.name : shop.name,
      money: { amount: formatMoney(amount), currency },
      lastDay: expiresAt === undefined ? '' : lastDayOf(expiresAt, shop.timeZone),
      isLocked: lockPin !== undefined,
      mode,
    },
    secret: { text: showCode(code), seals: keyRing, random },
  })
}

/** As it is now: a repeat shows what is left on it today. */
export async function readIssued(
  { pool, keyRing, clock }: IssueTools,
  { environmentId }: Issuer,
  { journalId: id, replayed }: Pick<Posted, 'journalId' | 'replayed'>,
): Promise<Issued> {
  const [voucher] = await withEnvironment(pool, environmentId, (tx) =>
    listOwnVouchers(tx, environmentId, { ids: [id] }, clock()),
  )
  if (voucher === undefined) throw new Error('A voucher was issued and is not there.')
  const currency = await findCurrency(pool, voucher.currency, 'any')
  return { voucher, currency, code: keyRing.open(id, voucher), replayed }
}

/** The environments of merchants that are named by their codes. */
export async function readPlaces(pool: Pool, codes: readonly string[], mode: Mode, param = 'onlyAt') {
  const known = await findEnvironments(pool, codes, mode)
  return codes.map((code) => {
    const id = known.get(code)
    if (id === undefined) throw merchantError('MERCHANT_NOT_FOUND', { param, merchantCode: code })
    return id
  })
}
