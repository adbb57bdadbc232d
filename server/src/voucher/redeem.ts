import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { hasCode, ScripError } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { formatMoney, type Money } from '../base/money.ts'
import { type ChargeType, chargeTypeOf } from '../charge/price.ts'
import { pickCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { exactNumber } from '../http/exact-json.ts'
import type { Account, AccountKind } from '../ledger/account.ts'
import { ensureBook, type Mode } from '../ledger/book.ts'
import { exchange } from '../ledger/exchange.ts'
import type { Journal, Posted, Posting } from '../ledger/journal.ts'
import type { Ledger } from '../ledger/post.ts'
import { readAvailable, toPosted } from '../ledger/store.ts'
import { transactionError } from '../transaction/errors.ts'
import { referenceKey } from '../transaction/reference.ts'
import { transactionDocument } from '../transaction/store.ts'
import { voucherError } from './errors.ts'
import { currencyOf, type Facts, type FindFacts, usableVoucher } from './facts.ts'
import type { KeyRing } from './key-ring.ts'
import { maxAmountFor, type Offer, offersFor, type Wish } from './offer.ts'
import type { CheckPin } from './pin.ts'
import { checkLock, type Priced, priceWish, type RedemptionWish, wishedAmount } from './price.ts'
import { readQuote } from './quote.ts'
import { findRedemption, redemptionDocument, type RedemptionRow, type Voucher } from './store.ts'

export type RedeemTools = {
  readonly pool: Pool
  readonly ledger: Ledger
  readonly clock: Clock
  readonly newId: NewId
  readonly keyRing: KeyRing
  readonly findFacts: FindFacts
  readonly checkPin: CheckPin
}

export type Redemption = RedemptionWish & {
  readonly reference: string
  readonly metadata: string
  readonly quoteId?: string | undefined
}

export type Redeemed = {
  readonly id: string
  readonly reference: string
  readonly voucherId: string
  readonly mode: Mode
  readonly merchantCode: string
  readonly amount: Money
  readonly charge: Money
  readonly chargedTo: Offer['chargedTo']
  readonly received: Money
  readonly at: Date
  readonly replayed: boolean
}

const maxAttempts = 5

/** Takes an amount from a voucher and credits the merchant. */
export async function redeemVoucher(tools: RedeemTools, caller: MerchantCaller, ask: Redemption): Promise<Redeemed> {
  const facts = await tools.findFacts({ caller, code: ask.code, reference: ask.reference })
  try {
    // A repeat is answered before any rule is asked: the rate may have moved, the voucher been emptied, the pin locked.
    const asked = fingerprint(facts, ask)
    const known = toPosted(facts.record, asked)
    if (known !== undefined) return await readRedeemed(tools, caller, facts, ask, known)

    if (facts.merchant.needsSecret && !caller.hasSecret) throw voucherError('VOUCHER_SECRET_NEEDED')
    const voucher = usableVoucher(facts, caller, tools.clock())
    await checkLock(tools.checkPin, voucher, ask.lockPin)
    return await post(tools, caller, facts, voucher, ask, asked)
  } catch (error) {
    if (hasCode(error, 'LEDGER_KEY_CONFLICT'))
      throw transactionError('REFERENCE_TAKEN', { param: 'referenceId' }, error)
    throw error
  }
}

/** What was asked, and nothing that was computed from it. Never the pin: a repeat must not tell a right one from a wrong. */
function fingerprint(facts: Facts, ask: Redemption): string {
  const { voucher } = facts
  const amount = wishedAmount(facts, voucher, ask.amount)
  const { to = '', walletAddress = '', metadata, quoteId = '' } = ask
  return JSON.stringify(['voucher.redeem', voucher?.id ?? '', amount, to, walletAddress, metadata, quoteId])
}

async function post(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  ask: Redemption,
  asked: string,
): Promise<Redeemed> {
  let terms = await agree(tools, caller, facts, voucher, ask)
  for (let attempt = 1; ; attempt++) {
    try {
      const journal = await redemptionJournal(tools, caller, voucher, ask, asked, terms)
      const posted = await tools.ledger.post(journal.journal)
      if (posted.replayed) return await readRedeemed(tools, caller, facts, ask, posted)
      const row = journal.rows[posted.alternative]
      if (row === undefined) throw new Error('The ledger posted an alternative that was not offered.')
      return toRedeemed(caller, facts, voucher, ask.reference, row, false)
    } catch (error) {
      const available = missingFrom(error, voucher.id)
      // "max" means what is there when it is posted: somebody else may have taken a part since it was read.
      const isAgain =
        available !== undefined && ask.amount === 'max' && ask.quoteId === undefined && attempt < maxAttempts
      if (!isAgain) throw await explain(tools, caller, terms, available, error)
      const wish = { ...terms.wish, available }
      terms = { ...terms, wish, offers: offersFor(wish) }
    }
  }
}

type Agreed = Priced & {
  readonly offers: [Offer, ...Offer[]]
  readonly chargeType?: ChargeType
  readonly isQuoted: boolean
}

/** The price of this moment, or exactly the one that was quoted. */
async function agree(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  ask: Redemption,
): Promise<Agreed> {
  if (ask.quoteId === undefined) {
    const priced = await priceWish(tools, facts, voucher, ask)
    return { ...priced, offers: offersFor(priced.wish), isQuoted: false }
  }
  const to = pickCurrency(facts.catalogue, ask.to ?? voucher.currency, 'any')
  const wished = wishedAmount(facts, voucher, ask.amount)
  const wanted = { environmentId: caller.environmentId, voucherId: voucher.id, wished, to: to.code }
  const quote = readQuote(tools.keyRing, ask.quoteId, wanted, tools.clock())
  const { rateSource: source, rateSaidAt: saidAt } = quote
  const priced = await priceWish(tools, facts, voucher, ask, { rate: quote.rate, source, saidAt })
  return { ...priced, offers: [quote.offer], chargeType: quote.chargeType, isQuoted: true }
}

type RedemptionJournal = { readonly journal: Journal; readonly rows: readonly RedemptionRow[] }

async function redemptionJournal(
  { pool, newId, clock }: RedeemTools,
  { environmentId, mode }: MerchantCaller,
  voucher: Voucher,
  ask: Redemption,
  asked: string,
  { wish, to, rate, offers, chargeType }: Agreed,
): Promise<RedemptionJournal> {
  const id = newId()
  const createdAt = clock()
  const isConverted = to.code !== voucher.currency
  const toBookId = isConverted ? await ensureBook(pool, mode, to.code) : voucher.bookId
  const own = (kind: AccountKind, bookId = voucher.bookId): Account => ({ bookId, ownerId: environmentId, kind })
  const from: Account = { bookId: voucher.bookId, ownerId: voucher.id, kind: 'voucher' }

  const rows = offers.map(({ amount, charge, chargedTo, toAmount }): RedemptionRow => {
    const converted = isConverted ? { currency: to.code, amount: toAmount } : undefined
    return { id, amount, charge, chargedTo, to: converted, createdAt }
  })
  const postings = rows.map(({ amount, charge, chargedTo, to: converted }): Posting => {
    const payee = own('merchant', toBookId)
    const moved =
      converted === undefined
        ? { transfers: [{ from, to: payee, amount }], open: [] }
        : exchange(environmentId, { account: from, amount }, { account: payee, amount: converted.amount })
    const bearer = chargedTo === 'voucher' ? from : own('merchant_admin')
    const charging = charge > 0n ? [{ from: bearer, to: own('fee'), amount: charge }] : []
    const taken = chargedTo === 'voucher' ? amount + charge : amount
    const tell = (minor: bigint): string => formatMoney({ minor, currency: wish.currency })
    return {
      transfers: [...moved.transfers, ...charging],
      open: [...moved.open, payee, own('fee')],
      documents: [
        transactionDocument({
          environment_id: environmentId,
          id,
          reference: ask.reference,
          type: 'VOUCHER_REDEMPTION',
          status: 'COMPLETED',
          book_id: voucher.bookId,
          amount,
          charged: taken,
          charge_type: chargeType ?? chargeTypeOf(charge, wish.terms),
          metadata: ask.metadata,
          created_at: createdAt,
        }),
        redemptionDocument({
          voucher_id: voucher.id,
          id,
          environment_id: environmentId,
          amount,
          charge,
          charged_to: chargedTo,
          to_book_id: isConverted ? toBookId : null,
          to_amount: converted?.amount ?? null,
          rate_numerator: isConverted ? rate.rate.numerator : null,
          rate_denominator: isConverted ? rate.rate.denominator : null,
          rate_source: isConverted ? rate.source : null,
          rate_said_at: isConverted ? rate.saidAt : null,
          created_at: createdAt,
        }),
      ],
      events: [
        {
          type: 'voucher.redeemed',
          payload: {
            environmentId,
            transactionId: id,
            reference: ask.reference,
            voucherId: voucher.id,
            amount: tell(amount),
            charge: tell(charge),
            chargedTo,
            currency: voucher.currency,
          },
        },
      ],
    }
  }) as [Posting, ...Posting[]]
  const key = referenceKey(environmentId, ask.reference)
  return { journal: { id, kind: 'voucher.redeem', key, asked, alternatives: postings }, rows }
}

/** What the voucher had, where the ledger refused because it has too little. */
function missingFrom(error: unknown, voucherId: string): bigint | undefined {
  if (!(error instanceof ScripError) || error.code !== 'LEDGER_INSUFFICIENT') return undefined
  const { account, available } = error.details as { account?: Account; available?: bigint }
  return account?.ownerId === voucherId ? available : undefined
}

/** What the ledger refused, in the words of who asked. */
async function explain(
  { pool, clock }: RedeemTools,
  caller: MerchantCaller,
  { wish, isQuoted }: Agreed,
  available: bigint | undefined,
  error: unknown,
): Promise<unknown> {
  if (available !== undefined) {
    const admin = await adminAvailable(pool, caller, wish, clock)
    return tooLow({ ...wish, available }, admin, error)
  }
  // Quoted at the cost of the merchant's admin balance, which has not enough of it any more.
  if (isQuoted && hasCode(error, 'LEDGER_INSUFFICIENT', 'LEDGER_ACCOUNT_MISSING'))
    return voucherError('QUOTE_STALE', { param: 'quoteId' }, error)
  if (hasCode(error, 'LEDGER_ACCOUNT_NO_DEBIT'))
    return voucherError(caller.hasSecret ? 'VOUCHER_BLOCKED' : 'VOUCHER_NOT_FOUND', {}, error)
  if (hasCode(error, 'LEDGER_ACCOUNT_CLOSED'))
    return voucherError(caller.hasSecret ? 'VOUCHER_CANCELLED' : 'VOUCHER_NOT_FOUND', {}, error)
  return error
}

/** Told with the largest amount that would have gone through. */
export function tooLow(wish: Wish, admin: bigint, cause?: unknown): ScripError {
  if (wish.available <= 0n) return voucherError('VOUCHER_EMPTY', { param: 'amount', maxAmount: 0 }, cause)
  const most = formatMoney({ minor: maxAmountFor(wish, admin), currency: wish.currency })
  return voucherError('VOUCHER_BALANCE_TOO_LOW', { param: 'amount', maxAmount: exactNumber(most) }, cause)
}

/** What the merchant's admin balance has for charges in the voucher's currency. For showing: the posting decides. */
export async function adminAvailable(
  pool: Pool,
  { environmentId, mode }: MerchantCaller,
  { takesFromBalance, currency }: Wish,
  clock: Clock,
): Promise<bigint> {
  if (!takesFromBalance) return 0n
  const bookId = await ensureBook(pool, mode, currency.code)
  return readAvailable(pool, { bookId, ownerId: environmentId, kind: 'merchant_admin' }, clock())
}

async function readRedeemed(
  { pool }: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  ask: Redemption,
  posted: Posted,
): Promise<Redeemed> {
  const { voucher } = facts
  if (voucher === undefined) throw new Error('A redemption was posted for a voucher that is not there.')
  const row = await withEnvironment(pool, caller.environmentId, (tx) =>
    findRedemption(tx, voucher.id, posted.journalId),
  )
  if (row === undefined) throw new Error('A redemption was posted and is not there.')
  return toRedeemed(caller, facts, voucher, ask.reference, row, posted.replayed)
}

function toRedeemed(
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  reference: string,
  { id, amount, charge, chargedTo, to, createdAt }: RedemptionRow,
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
    mode: caller.mode,
    merchantCode: facts.merchant.code,
    amount: { minor: amount, currency },
    charge: { minor: charge, currency },
    chargedTo,
    received,
    at: createdAt,
    replayed,
  }
}
