import { violates } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { hasCode, type ScripError } from '../../base/errors.ts'
import { formatMoney, type Money } from '../../base/money.ts'
import { inSpan } from '../../base/trace.ts'
import type { Nodes } from '../../chain/trust.ts'
import { adminAccount, alertLowBalance } from '../../catalogue/charge/admin-balance.ts'
import { type CatalogueCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import { exchangeError } from '../../catalogue/exchange/errors.ts'
import { findPrice, hasMovedAgainstDesk, type Price } from '../../catalogue/exchange/price.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { httpError } from '../../http/errors.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { LedgerRefusal } from '../../ledger/errors.ts'
import type { Mode } from '../../base/mode.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { Posted } from '../../ledger/journal.ts'
import { findAnswer, readAvailable } from '../../ledger/store.ts'
import { isTaken, referenceKey } from '../../payments/transaction/reference.ts'
import { type ReadCode, tailOf } from '../code/code.ts'
import { checkUse } from './check-use.ts'
import { type Destination, findDestination, payeeOf, quoteGasTo } from './destination.ts'
import { voucherError } from '../code/errors.ts'
import { currencyOf, type Facts, type FindFacts, hideFault, knownVoucher, redeemableVoucher } from './facts.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { maxAmountFor, offersFor, type PricedRequest } from './offer.ts'
import type { CheckPin } from './pin.ts'
import { prepareSend, refHashOf } from './prepare-send.ts'
import { priceRedemption, normalizeAmount } from './price.ts'
import { printPurchase } from './purchase.ts'
import { type Quote, readQuote } from './quote.ts'
import { type Agreed, type Redemption, redemptionJournal, type Sending } from './redemption-journal.ts'
import { findRedemption, type RedemptionRow } from '../voucher/history-store.ts'
import type { Voucher } from '../voucher/store.ts'

export type RedeemTools = IssueTools & {
  readonly findFacts: FindFacts
  readonly checkPin: CheckPin
  /** The nodes of each network, which redemptions to addresses need. */
  readonly nodes: Nodes
}

type CatalogueMoney = Money & { readonly currency: CatalogueCurrency }

export type Redeemed = {
  readonly id: string
  readonly reference: string
  readonly voucherId: string
  readonly mode: Mode
  readonly merchantCode: string
  readonly amount: CatalogueMoney
  readonly charge: CatalogueMoney
  readonly chargedTo: 'voucher' | 'merchant'
  readonly received: CatalogueMoney
  readonly at: Date
  /** The key of the ring that signs its receipt. */
  readonly receiptKey: number
  readonly replayed: boolean
}

/** How often "max" is tried with the balance of the moment. */
export const maxAttempts = 5

/** Takes an amount from a voucher and credits the merchant. */
export async function redeemVoucher(tools: RedeemTools, caller: MerchantCaller, input: Redemption): Promise<Redeemed> {
  const { code, reference, quoteId } = input
  const facts = await inSpan('redeem.read', () => tools.findFacts({ caller, code, reference, quoteId }))
  // A retry returns the first result before any rule is checked: the rate may have moved, the voucher be empty or the
  // PIN locked.
  const requestFingerprint = fingerprint(facts, input)
  const known = findAnswer(facts.record, requestFingerprint)
  if (typeof known === 'object') return readRedeemed(tools, caller, facts, input, known)

  // The platform merchant redeems into wallets: without this it would answer that the voucher is unknown.
  if (input.into !== undefined && knownVoucher(facts, { hasSecret: false }).isStore)
    throw voucherError('STORE_VOUCHER_NOT_FOR_WALLETS')
  const voucher = redeemableVoucher(facts, caller, known, tools.clock())
  const destination = await findDestination(tools, caller, voucher, input)
  // A user who puts a voucher into a wallet is credited at once. An onchain voucher takes until its network is final.
  if (input.into !== undefined && destination !== undefined) throw voucherError('VOUCHER_NOT_FOR_WALLETS')
  await inSpan('redeem.check', () => checkUse(tools, caller, facts, voucher, input))
  return post(tools, caller, facts, voucher, input, requestFingerprint, destination)
}

/** Contains the request only, no computed values. Never the PIN: a retry must not reveal whether a PIN is right. */
function fingerprint(facts: Facts, input: Redemption): string {
  const { to = '', walletAddress = '', metadata, quoteId = '', network } = input
  const amount = normalizeAmount(facts, input.amount)
  const into = input.into === undefined ? [] : [input.into.userId]
  const on = network === undefined ? [] : [network]
  const wanted = [facts.voucher?.id ?? '', amount, to, walletAddress, metadata, quoteId, ...into, ...on]
  const purchase = printPurchase(facts, input.purchase)
  return JSON.stringify(['voucher.redeem', ...wanted, ...purchase])
}

async function post(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  input: Redemption,
  requestFingerprint: string,
  destination: Destination | undefined,
): Promise<Redeemed> {
  let agreed = await inSpan('redeem.price', () => agree(tools, caller, facts, voucher, input, destination))
  const toBookId =
    agreed.to.code === voucher.currency ? voucher.bookId : await ensureBook(tools.pool, caller.mode, agreed.to.code)
  for (let attempt = 1; ; attempt++) {
    try {
      const identity = {
        id: tools.newId(),
        key: referenceKey(caller.environmentId, input.reference),
        requestFingerprint,
      }
      const currency = currencyOf(facts, voucher)
      const receiptKey = tools.keyRing.current.id
      const sending = destination && (await prepareSending(tools, facts, input, destination, agreed))
      const codeTail = tailOf(input.code.symbols)
      const parts = { caller, voucher, currency, toBookId, agreed, input, codeTail, receiptKey, sending }
      const { journal, rows } = redemptionJournal(identity, parts)
      const posted = await tools.ledger.post(journal)
      if (posted.replayed) return await readRedeemed(tools, caller, facts, input, posted)
      const row = rows[posted.alternative]
      if (row === undefined) throw new Error('The ledger posted an unknown alternative.')
      const unpaid = facts.merchant.takesFromBalance ? feeNotCovered(agreed, row) : undefined
      if (unpaid !== undefined) await alertOfFee(tools, caller, voucher, { minor: unpaid, currency }, input.reference)
      return toRedeemed(caller, facts, voucher, input.reference, row, false)
    } catch (error) {
      const available = availableAtRefusal(error, voucher.id)
      const { request } = agreed
      // "max" means the balance at posting time: another redemption may have used part of it since it was read.
      const canRetry =
        available !== undefined && request !== 'quoted' && request.amount === 'max' && attempt < maxAttempts
      if (!canRetry) throw await explain(tools, caller, { voucher, code: input.code }, agreed, available, error)
      agreed = { ...agreed, request: { ...request, available }, offers: offersFor({ ...request, available }) }
    }
  }
}

/** The call of each offer on the network, and the terms of its gas. */
async function prepareSending(
  { clock }: RedeemTools,
  facts: Facts,
  input: Redemption,
  destination: Destination,
  { offers, gas }: Agreed,
): Promise<Sending> {
  if (gas === undefined) throw new Error('A redemption that pays on a network has no quoted gas.')
  const refHash = refHashOf(facts.merchant.code, input.reference)
  const wanted = { destination, code: input.code.symbols, refHash, at: clock() }
  const sends = await Promise.all(offers.map((offer) => prepareSend({ ...wanted, offer })))
  return { destination, gas, sends }
}

/** The fee that the voucher paid because the admin balance did not cover it. */
export function feeNotCovered(
  { offers: [best], request }: Pick<Agreed, 'offers' | 'request'>,
  { chargedTo }: Pick<RedemptionRow, 'chargedTo'>,
): bigint | undefined {
  if (chargedTo === 'merchant' || best.charge === 0n) return undefined
  // A quote has one offer, chosen when it was made. The admin balance never pays a fee above the amount.
  const wasShortAtQuote = request === 'quoted' && best.charge <= best.amount
  return best.chargedTo === 'merchant' || wasShortAtQuote ? best.charge : undefined
}

/** The redemption is committed, so a failure here must not fail it: the next redemption with such a fee publishes the alert. */
export async function alertOfFee(
  tools: RedeemTools,
  { environmentId }: MerchantCaller,
  { bookId }: Voucher,
  fee: Money,
  reference: string,
): Promise<void> {
  await alertLowBalance(tools, { environmentId, bookId, fee, reference }).catch(() => undefined)
}

async function agree(
  tools: RedeemTools,
  { environmentId }: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  input: Redemption,
  destination: Destination | undefined,
): Promise<Agreed> {
  if (input.quoteId === undefined) {
    const gas = destination && (await quoteGasTo(tools, destination, currencyOf(facts, voucher)))
    const sending = destination && gas && { destination, gas }
    const { request, price } = await priceRedemption(tools, facts, voucher, input, sending)
    return { to: request.to, price, offers: offersFor(request), request, gas }
  }
  const to = pickCurrency(facts.catalogue, input.to ?? voucher.currency, 'any', 'toCurrencyAbbreviation')
  const amount = normalizeAmount(facts, input.amount)
  const terms = { environmentId, voucherId: voucher.id, amount, to: to.code, payee: payeeOf(destination) }
  const quote = readQuote(tools.keyRing, input.quoteId, terms, tools.clock())
  if (facts.isQuoteUsed) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  const price = await refuseMovedMarket(tools, voucher, to.code, quote)
  return { to, price, offers: [quote.offer], request: 'quoted', quote, gas: quote.gas }
}

/**
 * Honours a quote only while the market has not moved against the exchange desk. Returns the current price, which the
 * redemption records: refunds compare with the market at the time of the redemption, or a refund could win back the
 * quote's tolerance.
 */
async function refuseMovedMarket(
  { pool, clock }: RedeemTools,
  voucher: Voucher,
  to: string,
  quote: Quote,
): Promise<Price> {
  if (to === voucher.currency) return quote.price
  const now = await findPrice(pool, voucher.currency, to, clock)
  if (hasMovedAgainstDesk(quote.price.rate, now)) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  return now
}

/** The voucher's available balance, if the ledger refused because it is too low. */
export function availableAtRefusal(error: unknown, voucherId: string): bigint | undefined {
  if (!(error instanceof LedgerRefusal) || error.code !== 'LEDGER_INSUFFICIENT') return undefined
  const { account, available } = error.facts
  return account.ownerId === voucherId ? available : undefined
}

/** Maps ledger errors to API errors. */
export async function explain(
  tools: RedeemTools,
  caller: MerchantCaller,
  { voucher, code }: { voucher: Voucher; code: ReadCode },
  { request }: Pick<Agreed, 'request'>,
  available: bigint | undefined,
  error: unknown,
): Promise<unknown> {
  if (isTaken(error)) return httpError('REFERENCE_TAKEN', { param: 'referenceId' }, error)
  if (hasCode(error, 'LEDGER_DESK_LIMIT')) return exchangeError('EXCHANGE_LIMIT_REACHED', {}, error)
  if (violates(error, 'address_redemptions_one_open')) return voucherError('REDEMPTION_PROCESSING', {}, error)
  // Another request used a voucher for the order after this request read it.
  if (violates(error, 'voucher_orders_once'))
    return voucherError('VOUCHER_ONE_PER_ORDER', { param: 'orderReference' }, error)
  // Another redemption used the quote after this request read it.
  if (violates(error, 'used_quotes_once')) return voucherError('QUOTE_STALE', { param: 'quoteId' }, error)
  const account = error instanceof LedgerRefusal ? error.facts.account : undefined
  if (account?.ownerId === voucher.id && hasCode(error, 'LEDGER_ACCOUNT_NO_DEBIT'))
    return hideFault('VOUCHER_BLOCKED', caller, code)
  if (account?.ownerId === voucher.id && hasCode(error, 'LEDGER_ACCOUNT_CLOSED'))
    return hideFault('VOUCHER_CANCELLED', caller, code)
  // The voucher or the admin balance was used since the quote.
  if (account !== undefined && request === 'quoted') return voucherError('QUOTE_STALE', { param: 'quoteId' }, error)
  // Only the admin balance could pay the fee: if the voucher paid it, the rest would convert to nothing.
  if (account?.kind === 'merchant_admin') return voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' }, error)
  if (available === undefined || request === 'quoted') return error
  return tooLow({ ...request, available }, await adminAvailable(tools, caller, voucher, request), error)
}

/** The error for a balance that is too low, with the largest amount that can be redeemed. */
export function tooLow(request: PricedRequest, admin: bigint, cause?: unknown): ScripError {
  if (request.available <= 0n) return voucherError('VOUCHER_EMPTY', { param: 'amount', maxAmount: 0 }, cause)
  const most = formatMoney({ minor: maxAmountFor(request, admin), currency: request.currency })
  return voucherError('VOUCHER_BALANCE_TOO_LOW', { param: 'amount', maxAmount: exactNumber(most) }, cause)
}

/**
 * The admin balance available for fees in the voucher's currency. For quotes and errors only: the ledger decides when
 * it posts.
 */
export async function adminAvailable(
  { pool, clock }: RedeemTools,
  { environmentId }: MerchantCaller,
  { bookId }: Voucher,
  { takesFromBalance }: PricedRequest,
): Promise<bigint> {
  return takesFromBalance ? readAvailable(pool, adminAccount(environmentId, bookId), clock()) : 0n
}

async function readRedeemed(
  { pool }: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  input: Redemption,
  { journalId, replayed }: Posted,
): Promise<Redeemed> {
  const { voucher } = facts
  if (voucher === undefined) throw new Error('A posted redemption has no voucher.')
  const row = await withEnvironment(pool, caller.environmentId, (tx) => findRedemption(tx, voucher.id, journalId))
  if (row === undefined) throw new Error('A posted redemption is missing.')
  return toRedeemed(caller, facts, voucher, input.reference, row, replayed)
}

/** What a redemption returns, from its row. */
export function toRedeemed(
  { mode }: Pick<MerchantCaller, 'mode'>,
  facts: { readonly catalogue: Facts['catalogue']; readonly merchant: Pick<Facts['merchant'], 'code'> },
  voucher: Pick<Voucher, 'id' | 'currency'>,
  reference: string,
  { id, amount, charge, chargedTo, to, receiptKey, createdAt }: RedemptionRow,
  replayed: boolean,
): Redeemed {
  const currency = currencyOf(facts, voucher)
  const received =
    to === undefined
      ? { minor: amount, currency }
      : { minor: to.amount, currency: pickCurrency(facts.catalogue, to.currency, 'any') }
  return {
    id,
    reference,
    voucherId: voucher.id,
    mode,
    merchantCode: facts.merchant.code,
    amount: { minor: amount, currency },
    charge: { minor: charge, currency },
    chargedTo,
    received,
    at: createdAt,
    receiptKey,
    replayed,
  }
}
