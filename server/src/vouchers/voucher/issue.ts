import type { Db, Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { formatMoney, type Money, parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { type CatalogueCurrency, findCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import type { Owner } from '../../http/caller.ts'
import type { Account } from '../../ledger/account.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Document } from '../../ledger/document.ts'
import type { Journal, Posted } from '../../ledger/journal.ts'
import type { Ledger } from '../../ledger/post.ts'
import { findPosted } from '../../ledger/store.ts'
import { merchantError } from '../../identity/merchant/errors.ts'
import type { Language } from '../../mail/words.ts'
import { findEnvironments, findExpiredTo } from '../../identity/merchant/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { requesterOf } from '../../payments/outflow/finish.ts'
import {
  type OutflowInput,
  type PreparedOutflow,
  requestOutflow,
  type Sent,
  type UnsentOutflow,
} from '../../payments/outflow/request.ts'
import type { Outflow } from '../../payments/outflow/store.ts'
import { freeTransaction } from '../../payments/transaction/store.ts'
import { walletAccount, walletMove } from '../../payments/wallet/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { tailOf } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { voucherEvent } from './events.ts'
import { readExpiry } from './expiry.ts'
import { giftMail, type GiftMessage } from './gift-mail.ts'
import { mintVoucher, type MintTools } from './mint.ts'
import { findOnchain, type OnchainVoucher } from './onchain-store.ts'
import { printRules, readRules, type RulesInput } from './read-rules.ts'
import type { VoucherRules } from './rules.ts'
import { listOwnVouchers, type RecipientKind, storeFloat, type Voucher } from './store.ts'
import { findVault, refuseForVault, type Vault, vaultExpiry } from './vault.ts'

export type IssueTools = MintTools & PostTools & { readonly ledger: Ledger }

export type Issuer = Owner

type Buyer = { readonly userId: string; readonly name: string }

export type Issue = {
  /** Major units, as the client wrote them. */
  readonly amount: string
  readonly currency: string
  readonly reference: string
  /**
   * The issuer's balance, the treasury (operator or sandbox), the issuer's float, which makes it a store voucher, or the wallet of the
   * user who buys it.
   */
  readonly paidFrom: 'balance' | 'treasury' | 'float' | Buyer
  readonly lockPin?: string | undefined
  /** Codes of the merchants where it can be redeemed. Empty means everywhere. */
  readonly onlyAt?: readonly string[] | undefined
  /** A date, which means its end in the issuer's time zone, or a time. */
  readonly expires?: string | undefined
  readonly recipient?: { readonly kind: RecipientKind; readonly name: string } | undefined
  readonly rules?: VoucherRules | null | undefined
  /** Held by a vault on a network: the given one, or the first that has the currency. */
  readonly onchain?: { readonly network?: string | undefined } | undefined
  /** Sends the voucher to the recipient by email, in this language or else the issuer's. */
  readonly gift?:
    | { readonly language?: Language | undefined; readonly email?: string; readonly message?: GiftMessage }
    | undefined
}

/** An issue as the client wrote it, with rules that are not checked yet. */
type IssueInput = Omit<Issue, 'rules'> & { readonly rules?: RulesInput | undefined }

export type Issued = {
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly code: string
  readonly replayed: boolean
  readonly onchain: OnchainVoucher | undefined
}

export type RequestedVoucher =
  | Issued
  | { readonly pending: UnsentOutflow; readonly amount: Money & { currency: CatalogueCurrency } }

/** Creates and funds a voucher in one commit. A retry with the same reference returns the same voucher. */
export async function issueVoucher(tools: IssueTools, issuer: Issuer, input: IssueInput): Promise<Issued> {
  const { currency, amount, identity } = await readIssue(tools, issuer, input)
  try {
    const known = await findPosted(tools.pool, identity.key, identity.requestFingerprint)
    if (known !== undefined) return await readIssued(tools, issuer, known)
    // Rules are checked after the reference: a retry succeeds even if they have changed.
    refuseUnoffered(input, currency)
    const rules = await readIssueRules(tools, issuer, input, currency)
    const journal = await issueJournal(tools, issuer, { ...input, rules }, amount, identity)
    return await readIssued(tools, issuer, await tools.ledger.post(journal))
  } catch (error) {
    throw toApiError(error, 'referenceId', (cause) =>
      voucherError('ISSUER_BALANCE_TOO_LOW', { param: 'amount' }, cause),
    )
  }
}

/** Issues a voucher from the issuer's balance. This is an outflow and may wait for approval. */
export async function issueFromBalance(
  tools: IssueTools,
  issuer: Issuer,
  input: Omit<IssueInput, 'paidFrom'>,
): Promise<RequestedVoucher> {
  const requested = { ...input, paidFrom: 'balance' } as const
  const { currency, amount, identity } = await readIssue(tools, issuer, requested)
  const { environmentId, mode } = issuer
  const prepare = async (): Promise<PreparedOutflow> => {
    refuseUnoffered(input, currency)
    const issue: Issue = { ...requested, rules: await readIssueRules(tools, issuer, requested, currency) }
    const bookId = await ensureBook(tools.pool, mode, currency.code)
    const outflow: OutflowInput = {
      kind: 'voucher',
      reference: input.reference,
      bookId,
      amount: amount.minor,
      currency,
      from: { bookId, ownerId: environmentId, kind: 'merchant' },
      recipient: input.recipient?.name ?? '',
      transaction: { type: 'VOUCHER_PURCHASE' },
      request: issue,
    }
    // Invalid terms are refused now and not only after approval.
    await checkTerms(tools, issuer, issue)
    return { input: outflow, send: (tx, id) => voucherPosting(tools, tx, issuer, issue, amount, id) }
  }
  try {
    const outflow = await requestOutflow(tools, issuer, identity, prepare)
    if (outflow.status !== 'done') return { pending: outflow, amount: { minor: amount.minor, currency } }
    return await readIssued(tools, issuer, { journalId: outflow.id, replayed: outflow.replayed })
  } catch (error) {
    throw toApiError(error, 'referenceId', (cause) =>
      voucherError('ISSUER_BALANCE_TOO_LOW', { param: 'amount' }, cause),
    )
  }
}

/** Builds the posting of a voucher whose outflow was approved. Its id is the outflow's. */
export async function sendVoucher(tools: IssueTools, tx: Tx, outflow: Outflow, request: object): Promise<Sent> {
  const issue = request as Issue
  const currency = await findCurrency(tx, issue.currency, 'any')
  const issuer = await requesterOf(tx, outflow)
  return voucherPosting(tools, tx, issuer, issue, parseMoney(issue.amount, currency), outflow.id)
}

async function readIssue(tools: IssueTools, issuer: Issuer, input: IssueInput) {
  const currency = await findCurrency(tools.pool, input.currency, 'any')
  const amount = parseMoney(input.amount, currency)
  const key = referenceKey(issuer.environmentId, input.reference)
  const requestFingerprint = JSON.stringify([
    'voucher.issue',
    ...(typeof input.paidFrom === 'string' ? [input.paidFrom] : []),
    input.currency,
    String(amount.minor),
    [...(input.onlyAt ?? [])].sort(),
    input.expires ?? '',
    input.recipient ?? '',
    // Only whether there is a PIN, never the PIN itself.
    input.lockPin !== undefined,
    ...(input.gift === undefined ? [] : ['gift']),
    ...(input.onchain === undefined ? [] : ['onchain', input.onchain.network ?? '']),
    ...printRules(input.rules),
  ])
  return { currency, amount, identity: { key, requestFingerprint } }
}

async function readIssueRules(
  tools: IssueTools,
  issuer: Issuer,
  { rules, onchain, expires }: IssueInput,
  currency: CatalogueCurrency,
): Promise<VoucherRules | null> {
  if (rules === undefined) return null
  const expiresAt = await readExpiry(tools, issuer, expires)
  return readRules(tools, issuer, rules, { currency, expiresAt, isOnchain: onchain !== undefined })
}

function refuseUnoffered({ amount }: Pick<Issue, 'amount'>, currency: CatalogueCurrency): void {
  pickCurrency([currency], currency.code)
  refuseDust(parseAmount(amount, currency), currency)
}

async function checkTerms(tools: IssueTools, issuer: Issuer, input: Issue): Promise<void> {
  const { recipient } = input
  await readPlaces(tools.pool, input.onlyAt ?? [], issuer.mode)
  const expiresAt = await readExpiry(tools, issuer, input.expires)
  await findIssueVault(tools, tools.pool, issuer.mode, input, expiresAt)
  if (recipient?.kind === 'merchant') await readPlaces(tools.pool, [recipient.name], issuer.mode, 'forMerchant')
  if (input.gift !== undefined && giftAddress(input) === undefined)
    throw voucherError('RECIPIENT_MISSING', { param: 'forEmail' })
}

/** The journal of a new voucher and its transaction. The journal and the voucher share one id. */
export async function issueJournal(
  tools: IssueTools,
  issuer: Issuer,
  input: Issue,
  amount: Money,
  { key, requestFingerprint }: Pick<Journal, 'key' | 'requestFingerprint'>,
): Promise<Journal> {
  const { environmentId, memberId } = issuer
  const id = tools.newId()
  const { codeTail, ...posting } = await voucherPosting(tools, tools.pool, issuer, input, amount, id)
  const documents = [...(posting.documents ?? [])]
  const bookId = await ensureBook(tools.pool, issuer.mode, input.currency)
  const userId = typeof input.paidFrom === 'object' ? input.paidFrom.userId : undefined
  const bought = { environmentId, id, bookId, amount: amount.minor, userId, memberId, codeTail }
  if (input.paidFrom !== 'treasury' && input.paidFrom !== 'float')
    documents.push(freeTransaction('VOUCHER_PURCHASE', input.reference, bought))
  return { id, kind: 'voucher.issue', key, requestFingerprint, alternatives: [{ ...posting, documents }] }
}

/** The posting of a new voucher with this id: its value, its email and its event. */
export async function voucherPosting(
  tools: IssueTools,
  db: Db,
  issuer: Issuer,
  input: Issue,
  amount: Money,
  id: string,
): Promise<Sent> {
  return (await prepareVoucher(tools, db, issuer, input, amount, id)).sent
}

/** The posting of a new voucher, and what its seller hands over. */
export async function prepareVoucher(
  tools: IssueTools,
  db: Db,
  issuer: Issuer,
  input: Issue,
  amount: Money,
  id: string,
): Promise<{ readonly sent: Sent; readonly code: string; readonly expiresAt: Date | undefined }> {
  const { environmentId, mode } = issuer
  const { recipient, lockPin } = input
  const isStore = input.paidFrom === 'float'
  if (isStore && (input.onchain !== undefined || input.onlyAt !== undefined)) throw voucherError('STORE_VOUCHER_TERMS')
  const onlyAt = isStore ? [environmentId] : await readPlaces(db, input.onlyAt ?? [], mode)
  const wantedExpiry = await readExpiry({ pool: db, clock: tools.clock }, issuer, input.expires)
  const { vault, expiresAt } = await findIssueVault(tools, db, mode, input, wantedExpiry)
  const bookId = await ensureBook(db, mode, input.currency)
  if (recipient?.kind === 'merchant') await readPlaces(db, [recipient.name], mode, 'forMerchant')
  const isPaid = input.paidFrom !== 'treasury'
  const buyer = typeof input.paidFrom === 'object' ? input.paidFrom : undefined
  const expiredTo = await findExpiredTo(db, environmentId)
  const who = { recipient, wasPaidFor: isPaid, buyerId: buyer?.userId }
  const { rules = null } = input
  const terms = { onlyAt, expiresAt, expiredTo, lockPin, vault, isStore, rules, ...who }
  const { code, account, documents } = await mintVoucher(
    tools,
    { environmentId, bookId, amount: amount.minor, ...terms },
    id,
  )
  const balance: Account = { bookId, ownerId: environmentId, kind: isPaid ? 'merchant' : 'treasury' }
  const own = isStore ? storeFloat(environmentId, bookId) : balance
  const from = buyer === undefined ? own : walletAccount(buyer.userId, bookId)
  if (buyer !== undefined)
    documents.push(walletMove({ userId: buyer.userId, id, bookId, kind: 'bought', amount: -amount.minor }))
  if (input.gift !== undefined)
    documents.push(await issueMail(tools, db, issuer, input, amount, { id, code, expiresAt, vault }))
  const issued = { voucherId: id, reference: input.reference, amount: formatMoney(amount), currency: input.currency }
  const events = [voucherEvent('voucher.issued', { environmentId, about: account }, issued)]
  const transfers = [{ from, to: account, amount: amount.minor }]
  const open = isPaid && !isStore ? [account] : [account, from]
  return { sent: { transfers, open, documents, events, codeTail: tailOf(code) }, code, expiresAt }
}

/** The vault of an onchain voucher, and when the voucher expires. */
export async function findIssueVault(
  { clock }: IssueTools,
  db: Db,
  mode: Mode,
  { onchain, currency: code, amount }: Pick<Issue, 'onchain' | 'currency' | 'amount'>,
  expiresAt: Date | undefined,
): Promise<{ vault: Vault | undefined; expiresAt: Date | undefined }> {
  if (onchain === undefined) return { vault: undefined, expiresAt }
  const currency = await findCurrency(db, code, 'any')
  const vault = await findVault(db, mode, currency, onchain.network, 'onchain')
  await refuseForVault(db, vault, parseMoney(amount, currency).minor)
  return { vault, expiresAt: vaultExpiry(expiresAt, clock()) }
}

function giftAddress({ gift, recipient }: Issue): string | undefined {
  return gift?.email ?? (recipient?.kind === 'email' ? recipient.name : undefined)
}

async function issueMail(
  tools: IssueTools,
  db: Db,
  { environmentId, mode }: Issuer,
  input: Issue,
  amount: Money,
  voucher: { id: string; code: string; expiresAt: Date | undefined; vault: Vault | undefined },
): Promise<Document> {
  const { lockPin, gift, currency, paidFrom } = input
  const to = giftAddress(input)
  if (to === undefined) throw voucherError('RECIPIENT_MISSING', { param: 'forEmail' })
  const { id, code, vault, expiresAt = null } = voucher
  return giftMail(tools, db, {
    environmentId,
    mode,
    id,
    code,
    to,
    language: gift?.language,
    from: typeof paidFrom === 'object' ? paidFrom.name : undefined,
    message: gift?.message,
    money: { amount: formatMoney(amount), currency },
    expiresAt,
    isLocked: lockPin !== undefined,
    place: vault && { network: vault.networkName, vault: vault.address },
  })
}

/** The voucher in its current state: a retry shows the balance of today. */
export async function readIssued(
  { pool, keyRing, clock }: IssueTools,
  { environmentId }: Issuer,
  { journalId: id, replayed }: Pick<Posted, 'journalId' | 'replayed'>,
): Promise<Issued> {
  const [voucher] = await withEnvironment(pool, environmentId, (tx) =>
    listOwnVouchers(tx, environmentId, { ids: [id] }, clock()),
  )
  if (voucher === undefined) throw new Error('An issued voucher is missing.')
  const currency = await findCurrency(pool, voucher.currency, 'any')
  const onchain = voucher.isOnchain ? (await findOnchain(pool, [id])).get(id) : undefined
  return { voucher, currency, code: keyRing.open(id, voucher), replayed, onchain }
}

/** The environments of merchants, looked up by merchant code. */
export async function readPlaces(pool: Db, codes: readonly string[], mode: Mode, param = 'onlyAt'): Promise<string[]> {
  const known = await findEnvironments(pool, codes, mode)
  return codes.map((code) => {
    const id = known.get(code)
    if (id === undefined) throw merchantError('MERCHANT_NOT_FOUND', { param, merchantCode: code })
    return id
  })
}
