import { timeOfId } from '../base/id.ts'
import { formatMoney } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import type { Price } from '../exchange/price.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { Account, AccountKind } from '../ledger/account.ts'
import { payAcross } from '../ledger/exchange.ts'
import type { Event } from '../ledger/event.ts'
import type { Journal, Posting } from '../ledger/journal.ts'
import { transactionDocument } from '../transaction/store.ts'
import { walletAccount, walletMove } from '../wallet/store.ts'
import { tailOf } from './code.ts'
import { type Offer, takenBy, type Wish } from './offer.ts'
import type { RedemptionWish } from './price.ts'
import type { Quote } from './quote.ts'
import { usedQuoteDocument } from './quote-store.ts'
import { voucherEvent } from './events.ts'
import { redemptionDocument, type RedemptionRow } from './history-store.ts'
import { type Voucher, voucherAccount } from './store.ts'

export type Redemption = RedemptionWish & {
  readonly reference: string
  readonly metadata: string
  readonly quoteId?: string | undefined
}

/** The price of this moment with the wish that it is for, or exactly the one that was quoted. */
export type Agreed = {
  readonly to: CatalogueCurrency
  readonly price: Price
  readonly offers: readonly [Offer, ...Offer[]]
  readonly wish: Wish | 'quoted'
  /** The quote that is used up by it. */
  readonly quote?: Quote
}

type Parts = {
  readonly caller: MerchantCaller
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly toBookId: number
  readonly agreed: Agreed
  readonly ask: Redemption
  readonly receiptKey: number
}

/** An alternative for each offer, each with its transfers, transaction, redemption and event; and the rows to answer from. */
export function redemptionJournal(
  identity: Pick<Journal, 'id' | 'key' | 'asked'>,
  parts: Parts,
): { journal: Journal; rows: RedemptionRow[] } {
  const createdAt = timeOfId(identity.id)
  const { receiptKey } = parts
  const { to } = parts.agreed
  const isConverted = to.code !== parts.voucher.currency
  const rows = parts.agreed.offers.map(({ amount, charge, chargedTo, toAmount }) => {
    const converted = isConverted ? { currency: to.code, amount: toAmount } : undefined
    return { id: identity.id, amount, charge, chargedTo, to: converted, receiptKey, createdAt }
  })
  const posting = (offer: Offer): Posting => ({
    ...movesOf(offer, parts),
    documents: documentsOf(offer, identity.id, createdAt, parts),
    events: eventsOf(offer, identity.id, parts),
  })
  const [first, ...rest] = parts.agreed.offers
  const alternatives: Journal['alternatives'] = [posting(first), ...rest.map(posting)]
  return { journal: { ...identity, kind: 'voucher.redeem', alternatives }, rows }
}

function movesOf(
  { amount, charge, chargedTo, toAmount }: Offer,
  { caller: { environmentId }, voucher, toBookId, ask }: Parts,
): Pick<Posting, 'transfers' | 'open'> {
  const own = (kind: AccountKind, bookId = voucher.bookId): Account => ({ bookId, ownerId: environmentId, kind })
  const from = voucherAccount(voucher)
  const payee = ask.into === undefined ? own('merchant', toBookId) : walletAccount(ask.into.userId, toBookId)
  const paid = payAcross(environmentId, { account: from, amount }, { account: payee, amount: toAmount })
  if (charge === 0n) return paid
  const bearer = chargedTo === 'voucher' ? from : own('merchant_admin')
  return {
    transfers: [...paid.transfers, { from: bearer, to: own('fee'), amount: charge }],
    open: [...paid.open, own('fee')],
  }
}

function documentsOf(offer: Offer, id: string, createdAt: Date, parts: Parts) {
  const { caller, voucher, toBookId, agreed, ask, receiptKey } = parts
  const { amount, charge, chargeType, chargedTo, toAmount } = offer
  const { rate, source, saidAt, spreadPpm } = agreed.price
  const isConverted = toBookId !== voucher.bookId
  const converted = {
    toBookId,
    toAmount,
    rateNumerator: rate.numerator,
    rateDenominator: rate.denominator,
    rateSource: source,
    rateSaidAt: saidAt,
    spreadPpm: Number(spreadPpm),
  }
  const userId = ask.into?.userId
  const made = { environmentId: caller.environmentId, id, userId, amount, createdAt }
  const documents = [
    transactionDocument({
      ...made,
      reference: ask.reference,
      type: 'VOUCHER_REDEMPTION',
      status: 'COMPLETED',
      bookId: voucher.bookId,
      charged: takenBy(offer),
      chargeType,
      metadata: ask.metadata,
      memberId: caller.memberId,
      codeTail: tailOf(ask.code.symbols),
    }),
    redemptionDocument({
      ...made,
      voucherId: voucher.id,
      charge,
      chargedTo,
      ...(isConverted && converted),
      receiptKey,
    }),
  ]
  if (agreed.quote !== undefined)
    documents.push(usedQuoteDocument({ id: agreed.quote.id, endsAt: agreed.quote.expiresAt }))
  if (userId === undefined) return documents
  const move = { userId, id, bookId: toBookId, kind: 'redeemed', amount: toAmount } as const
  return [...documents, walletMove({ ...move, ...(isConverted && { rate }) })]
}

/** For the merchant that redeems, and for the issuer if that is another: which sale it was is none of his. */
function eventsOf(
  { amount, charge, chargedTo }: Offer,
  id: string,
  { caller, voucher, currency, ask }: Parts,
): Event[] {
  const { environmentId } = caller
  const about = voucherAccount(voucher)
  const data = {
    voucherId: voucher.id,
    amount: formatMoney({ minor: amount, currency }),
    charge: formatMoney({ minor: charge, currency }),
    chargedTo,
    currency: currency.code,
  }
  const sale = { ...data, transactionId: id, reference: ask.reference }
  const own = voucherEvent('voucher.redeemed', { environmentId, about }, sale)
  if (voucher.environmentId === environmentId) return [own]
  return [own, voucherEvent('voucher.redeemed', { environmentId: voucher.environmentId, about }, data)]
}
