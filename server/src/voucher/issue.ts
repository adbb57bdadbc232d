import type { Db, Tx } from '../base/db.ts'
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
import { requesterOf } from '../outflow/finish.ts'
import { type OutflowAsk, readStatus, type RequestedOutflow, requestOutflow, type Sent } from '../outflow/request.ts'
import type { Outflow } from '../outflow/store.ts'
import { freeTransaction } from '../transaction/store.ts'
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

export type RequestedVoucher =
  | Issued
  | { readonly pending: RequestedOutflow; readonly amount: Money & { currency: CatalogueCurrency } }

/** Makes a voucher and puts its value on it, in one commit. A repeat of its reference answers with the same voucher. */
export async function issueVoucher(tools: IssueTools, issuer: Issuer, ask: Issue): Promise<Issued> {
  const { currency, amount, identity } = await readAsk(tools, issuer, ask)
  try {
    const known = await findPosted(tools.pool, identity.key, identity.asked)
    if (known !== undefined) return await readIssued(tools, issuer, known)
    // Rules come after the key: a repeat is answered also when they have changed.
    refuseUnoffered(ask, currency)
    const journal = await issueJournal(tools, issuer, ask, amount, identity)
    return await readIssued(tools, issuer, await tools.ledger.post(journal))
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => voucherError('ISSUER_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** The same out of the issuer's balance, which is an outflow: it may have to wait. */
export async function issueFromBalance(
  tools: IssueTools,
  issuer: Issuer,
  ask: Omit<Issue, 'paidFrom'>,
): Promise<RequestedVoucher> {
  const issue: Issue = { ...ask, paidFrom: 'balance' }
  const { currency, amount, identity } = await readAsk(tools, issuer, issue)
  const { environmentId, mode } = issuer
  const toOutcome = async (requested: RequestedOutflow): Promise<RequestedVoucher> => {
    if (requested.status !== 'done') return { pending: requested, amount: { minor: amount.minor, currency } }
    return readIssued(tools, issuer, { journalId: requested.id, replayed: requested.replayed })
  }
  try {
    const known = await findPosted(tools.pool, identity.key, identity.asked)
    if (known !== undefined) {
      const status = await withEnvironment(tools.pool, environmentId, (tx) =>
        readStatus(tx, environmentId, known.journalId),
      )
      return await toOutcome({ ...status, replayed: true })
    }
    refuseUnoffered(issue, currency)
    const bookId = await ensureBook(tools.pool, mode, currency.code)
    const outflow: OutflowAsk = {
      ...{ kind: 'voucher', reference: ask.reference, bookId, amount: amount.minor, currency },
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      recipient: ask.recipient?.name ?? '',
      transaction: { type: 'VOUCHER_PURCHASE' },
      request: issue,
    }
    const send = (tx: Tx, id: string): Promise<Sent> => voucherPosting(tools, tx, issuer, issue, amount, id)
    // What could not be issued is not accepted either.
    await checkTerms(tools, issuer, issue)
    return await toOutcome(await requestOutflow(tools, issuer, identity, outflow, send))
  } catch (error) {
    throw retell(error, 'referenceId', (cause) => voucherError('ISSUER_BALANCE_TOO_LOW', { param: 'amount' }, cause))
  }
}

/** A voucher that waited is issued. Its id is the outflow's. */
export async function sendVoucher(tools: IssueTools, tx: Tx, outflow: Outflow, request: object): Promise<Sent> {
  const issue = request as Issue
  const currency = await findCurrency(tx, issue.currency, 'any')
  const issuer = await requesterOf(tx, outflow)
  return voucherPosting(tools, tx, issuer, issue, parseMoney(issue.amount, currency), outflow.id)
}

async function readAsk(tools: IssueTools, issuer: Issuer, ask: Issue) {
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
  return { currency, amount, identity: { key, asked } }
}

function refuseUnoffered({ amount }: Issue, currency: CatalogueCurrency): void {
  pickCurrency([currency], currency.code)
  refuseDust(parseAmount(amount, currency), currency)
}

async function checkTerms(tools: IssueTools, issuer: Issuer, ask: Issue): Promise<void> {
  const { recipient } = ask
  await readPlaces(tools.pool, ask.onlyAt ?? [], issuer.mode)
  await readExpiry(tools, issuer, ask.expires)
  if (recipient?.kind === 'merchant') await readPlaces(tools.pool, [recipient.name], issuer.mode, 'forMerchant')
  if (ask.gift !== undefined && giftAddress(ask) === undefined)
    throw voucherError('RECIPIENT_MISSING', { param: 'forEmail' })
}

/** The voucher with its transaction, to be posted. The journal has the voucher's id. */
export async function issueJournal(
  tools: IssueTools,
  issuer: Issuer,
  ask: Issue,
  amount: Money,
  { key, asked }: Pick<Journal, 'key' | 'asked'>,
): Promise<Journal> {
  const { environmentId, memberId } = issuer
  const id = tools.newId()
  const { codeTail, ...posting } = await voucherPosting(tools, tools.pool, issuer, ask, amount, id)
  const documents = [...(posting.documents ?? [])]
  const bookId = await ensureBook(tools.pool, issuer.mode, ask.currency)
  const userId = typeof ask.paidFrom === 'object' ? ask.paidFrom.userId : undefined
  const bought = { environmentId, id, bookId, amount: amount.minor, userId, memberId, codeTail }
  if (ask.paidFrom !== 'treasury') documents.push(freeTransaction('VOUCHER_PURCHASE', ask.reference, bought))
  return { id, kind: 'voucher.issue', key, asked, alternatives: [{ ...posting, documents }] }
}

/** The voucher under an id, its value, its email and its event. */
export async function voucherPosting(
  tools: IssueTools,
  db: Db,
  issuer: Issuer,
  ask: Issue,
  amount: Money,
  id: string,
): Promise<Sent> {
  const { environmentId, mode } = issuer
  const { recipient, lockPin } = ask
  const onlyAt = await readPlaces(db, ask.onlyAt ?? [], mode)
  const expiresAt = await readExpiry({ pool: db, clock: tools.clock }, issuer, ask.expires)
  const bookId = await ensureBook(db, mode, ask.currency)
  if (recipient?.kind === 'merchant') await readPlaces(db, [recipient.name], mode, 'forMerchant')
  const isPaid = ask.paidFrom !== 'treasury'
  const buyer = typeof ask.paidFrom === 'object' ? ask.paidFrom : undefined
  const expiredTo = await findExpiredTo(db, environmentId)
  const terms = { onlyAt, expiresAt, expiredTo, recipient, lockPin, wasPaidFor: isPaid, buyerId: buyer?.userId }
  const { code, account, documents } = mintVoucher(tools, { environmentId, bookId, amount: amount.minor, ...terms }, id)
  const own: Account = { bookId, ownerId: environmentId, kind: isPaid ? 'merchant' : 'treasury' }
  const from = buyer === undefined ? own : walletAccount(buyer.userId, bookId)
  if (buyer !== undefined)
    documents.push(walletMove({ userId: buyer.userId, id, bookId, kind: 'bought', amount: -amount.minor }))
  if (ask.gift !== undefined) documents.push(await giftMail(tools, db, issuer, ask, amount, { id, code, expiresAt }))
  const issued = { voucherId: id, reference: ask.reference, amount: formatMoney(amount), currency: ask.currency }
  const events = [voucherEvent('voucher.issued', { environmentId, about: account }, issued)]
  const transfers = [{ from, to: account, amount: amount.minor }]
  const open = isPaid ? [account] : [account, from]
  return { transfers, open, documents, events, codeTail: tailOf(code) }
}

function giftAddress({ gift, recipient }: Issue): string | undefined {
  return gift?.email ?? (recipient?.kind === 'email' ? recipient.name : undefined)
}

async function giftMail(
  { newId, keyRing, random }: IssueTools,
  db: Db,
  { environmentId, mode }: Issuer,
  ask: Issue,
  amount: Money,
  { id, code, expiresAt }: { id: string; code: string; expiresAt: Date | undefined },
): Promise<Document> {
  const { lockPin, gift, currency, paidFrom } = ask
  const to = giftAddress(ask)
  if (to === undefined) throw voucherError('RECIPIENT_MISSING', { param: 'forEmail' })
  const shop = await findShop(db, environmentId)
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
export async function readPlaces(pool: Db, codes: readonly string[], mode: Mode, param = 'onlyAt') {
  const known = await findEnvironments(pool, codes, mode)
  return codes.map((code) => {
    const id = known.get(code)
    if (id === undefined) throw merchantError('MERCHANT_NOT_FOUND', { param, merchantCode: code })
    return id
  })
}
