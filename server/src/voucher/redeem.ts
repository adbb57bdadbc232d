import { violates } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { hasCode, ScripError } from '../base/errors.ts'
import { formatMoney } from '../base/money.ts'
import { pickCurrency } from '../currency/store.ts'
import { exchangeError } from '../exchange/errors.ts'
import { findPrice, hasMovedAgainstDesk, type Price } from '../exchange/price.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { Account } from '../ledger/account.ts'
import { ensureBook } from '../ledger/book.ts'
import type { Posted } from '../ledger/journal.ts'
import { findAnswer, readAvailable } from '../ledger/store.ts'
import { transactionError } from '../transaction/errors.ts'
import { isTaken, referenceKey } from '../transaction/reference.ts'
import type { ReadCode } from './code.ts'
import { voucherError } from './errors.ts'
import { currencyOf, type Facts, type FindFacts, hideFault, usableVoucher } from './facts.ts'
import type { IssueTools } from './issue.ts'
import { maxAmountFor, offersFor, type Wish } from './offer.ts'
import { type CheckPin, checkLock } from './pin.ts'
import { priceWish, refuseWallet, wishedAmount } from './price.ts'
import { type Quote, readQuote } from './quote.ts'
import { type Agreed, type Redemption, redemptionJournal } from './redemption-journal.ts'
import { findRedemption, type RedemptionRow } from './history-store.ts'
import type { Voucher } from './store.ts'

export type RedeemTools = IssueTools & { readonly findFacts: FindFacts; readonly checkPin: CheckPin }

export type Redeemed = ReturnType<typeof toRedeemed>

const maxAttempts = 5

/** Takes an amount from a voucher and credits the merchant. */
export async function redeemVoucher(tools: RedeemTools, caller: MerchantCaller, ask: Redemption): Promise<Redeemed> {
  const facts = await tools.findFacts({ caller, code: ask.code, reference: ask.reference, quoteId: ask.quoteId })
  // A repeat is answered before any rule is asked: the rate may have moved, the voucher been emptied, the pin locked.
  const asked = fingerprint(facts, ask)
  const known = findAnswer(facts.record, asked)
  if (typeof known === 'object') return readRedeemed(tools, caller, facts, ask, known)

  if (facts.merchant.needsSecret && !caller.hasSecret) throw voucherError('VOUCHER_SECRET_NEEDED')
  const voucher = usableVoucher(facts, caller, tools.clock())
  // Not before: whoever has no voucher must not learn which references were used.
  if (known === 'conflict') throw transactionError('REFERENCE_TAKEN', { param: 'referenceId' })
  refuseWallet(ask)
  await checkLock(tools.checkPin, caller, voucher, ask)
  return post(tools, caller, facts, voucher, ask, asked)
}

/** What was asked, and nothing that was computed from it. Never the pin: a repeat must not tell a right one from a wrong. */
function fingerprint(facts: Facts, ask: Redemption): string {
  const { to = '', walletAddress = '', metadata, quoteId = '' } = ask
  const amount = wishedAmount(facts, ask.amount)
  const into = ask.into === undefined ? [] : [ask.into.userId]
  const wanted = [facts.voucher?.id ?? '', amount, to, walletAddress, metadata, quoteId, ...into]
  return JSON.stringify(['voucher.redeem', ...wanted])
}

async function post(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  ask: Redemption,
  asked: string,
): Promise<Redeemed> {
  let agreed = await agree(tools, caller, facts, voucher, ask)
  const toBookId =
    agreed.to.code === voucher.currency ? voucher.bookId : await ensureBook(tools.pool, caller.mode, agreed.to.code)
  for (let attempt = 1; ; attempt++) {
    try {
      const identity = { id: tools.newId(), key: referenceKey(caller.environmentId, ask.reference), asked }
      const currency = currencyOf(facts, voucher)
      const receiptKey = tools.keyRing.current.id
      const parts = { caller, voucher, currency, toBookId, agreed, ask, receiptKey }
      const { journal, rows } = redemptionJournal(identity, parts)
      const posted = await tools.ledger.post(journal)
      if (posted.replayed) return await readRedeemed(tools, caller, facts, ask, posted)
      const row = rows[posted.alternative]
      if (row === undefined) throw new Error('The ledger posted an alternative that was not offered.')
      return toRedeemed(caller, facts, voucher, ask.reference, row, false)
    } catch (error) {
      const available = missingFrom(error, voucher.id)
      const { wish } = agreed
      // "max" means what is there when it is posted: somebody else may have taken a part since it was read.
      const isAgain = available !== undefined && wish !== 'quoted' && wish.amount === 'max' && attempt < maxAttempts
      if (!isAgain) throw await explain(tools, caller, { voucher, code: ask.code }, agreed, available, error)
      agreed = { ...agreed, wish: { ...wish, available }, offers: offersFor({ ...wish, available }) }
    }
  }
}

async function agree(
  tools: RedeemTools,
  { environmentId }: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  ask: Redemption,
): Promise<Agreed> {
  if (ask.quoteId === undefined) {
    const { wish, price } = await priceWish(tools, facts, voucher, ask)
    return { to: wish.to, price, offers: offersFor(wish), wish }
  }
  const to = pickCurrency(facts.catalogue, ask.to ?? voucher.currency, 'any', 'toCurrencyAbbreviation')
  const wanted = { environmentId, voucherId: voucher.id, wished: wishedAmount(facts, ask.amount), to: to.code }
  const quote = readQuote(tools.keyRing, ask.quoteId, wanted, tools.clock())
  if (facts.isQuoteUsed) throw voucherError('QUOTE_STALE', { param: 'quoteId' })
  const price = await refuseMovedMarket(tools, voucher, to.code, quote)
  return { to, price, offers: [quote.offer], wish: 'quoted', quote }
}

/**
 * A quote is kept only while the market has not moved against the exchange desk. Returns the price of now, which the redemption
 * records: a refund compares with the market at which the money moved, or the quote's tolerance could be won back by refunding.
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

/** What the voucher had, where the ledger refused because it has too little. */
function missingFrom(error: unknown, voucherId: string): bigint | undefined {
  if (!(error instanceof ScripError) || error.code !== 'LEDGER_INSUFFICIENT') return undefined
  const { account, available } = error.details as { account?: Account; available?: bigint }
  return account?.ownerId === voucherId ? available : undefined
}

/** What the ledger refused, in the words of who asked. */
async function explain(
  tools: RedeemTools,
  caller: MerchantCaller,
  { voucher, code }: { voucher: Voucher; code: ReadCode },
  { wish }: Agreed,
  available: bigint | undefined,
  error: unknown,
): Promise<unknown> {
  if (isTaken(error)) return transactionError('REFERENCE_TAKEN', { param: 'referenceId' }, error)
  if (hasCode(error, 'LEDGER_DESK_LIMIT')) return exchangeError('EXCHANGE_LIMIT_REACHED', {}, error)
  // Another redemption used the quote after it was looked up.
  if (violates(error, 'used_quotes_once')) return voucherError('QUOTE_STALE', { param: 'quoteId' }, error)
  const { account } = (error instanceof ScripError ? error.details : {}) as { account?: Account }
  if (account?.ownerId === voucher.id && hasCode(error, 'LEDGER_ACCOUNT_NO_DEBIT'))
    return hideFault('VOUCHER_BLOCKED', caller, code)
  if (account?.ownerId === voucher.id && hasCode(error, 'LEDGER_ACCOUNT_CLOSED'))
    return hideFault('VOUCHER_CANCELLED', caller, code)
  // Quoted for a voucher that has been spent since, or at the cost of an admin balance that has been used up.
  if (account !== undefined && wish === 'quoted') return voucherError('QUOTE_STALE', { param: 'quoteId' }, error)
  // The admin balance was the only one that could bear the charge: of what was left after it the merchant would get nothing.
  if (account?.kind === 'merchant_admin') return voucherError('AMOUNT_TOO_SMALL_TO_CONVERT', { param: 'amount' }, error)
  if (available === undefined || wish === 'quoted') return error
  return tooLow({ ...wish, available }, await adminAvailable(tools, caller, voucher, wish), error)
}

/** Told with the largest amount that would have gone through. */
export function tooLow(wish: Wish, admin: bigint, cause?: unknown): ScripError {
  if (wish.available <= 0n) return voucherError('VOUCHER_EMPTY', { param: 'amount', maxAmount: 0 }, cause)
  const most = formatMoney({ minor: maxAmountFor(wish, admin), currency: wish.currency })
  return voucherError('VOUCHER_BALANCE_TOO_LOW', { param: 'amount', maxAmount: exactNumber(most) }, cause)
}

/** What the merchant's admin balance has for charges in the voucher's currency. For showing: the posting decides. */
export async function adminAvailable(
  { pool, clock }: RedeemTools,
  { environmentId }: MerchantCaller,
  { bookId }: Voucher,
  { takesFromBalance }: Wish,
): Promise<bigint> {
  return takesFromBalance
    ? readAvailable(pool, { bookId, ownerId: environmentId, kind: 'merchant_admin' }, clock())
    : 0n
}

async function readRedeemed(
  { pool }: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  ask: Redemption,
  { journalId, replayed }: Posted,
): Promise<Redeemed> {
  const { voucher } = facts
  if (voucher === undefined) throw new Error('A redemption was posted for a voucher that is not there.')
  const row = await withEnvironment(pool, caller.environmentId, (tx) => findRedemption(tx, voucher.id, journalId))
  if (row === undefined) throw new Error('A redemption was posted and is not there.')
  return toRedeemed(caller, facts, voucher, ask.reference, row, replayed)
}

function toRedeemed(
  { mode }: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  reference: string,
  { id, amount, charge, chargedTo, to, receiptKey, createdAt }: RedemptionRow,
  replayed: boolean,
) {
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
    /** Which key of the ring signs its receipt. */
    receiptKey,
    replayed,
  }
}
