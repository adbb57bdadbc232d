import { timeOfId } from '../../base/id.ts'
import { formatMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { Price } from '../../catalogue/exchange/price.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { Account, AccountKind } from '../../ledger/account.ts'
import { payAcross } from '../../ledger/exchange.ts'
import type { Document } from '../../ledger/document.ts'
import type { Event } from '../../ledger/event.ts'
import type { Journal, Posting } from '../../ledger/journal.ts'
import { transactionDocument } from '../../payments/transaction/store.ts'
import { walletAccount, walletMove } from '../../payments/wallet/store.ts'
import type { Destination, GasTerms } from './destination.ts'
import { addressRedemptionDocument, sendDocument } from '../voucher/onchain-store.ts'
import { orderDocument } from './order-store.ts'
import type { PreparedSend } from './prepare-send.ts'
import { type Offer, takenBy, type PricedRequest } from './offer.ts'
import type { RedemptionInput } from './price.ts'
import type { Quote } from './quote.ts'
import { usedQuoteDocument } from './quote-store.ts'
import { voucherEvent } from '../voucher/events.ts'
import { redemptionDocument, type RedemptionRow } from '../voucher/history-store.ts'
import { orderOf } from '../voucher/rules.ts'
import { type Voucher, voucherAccount } from '../voucher/store.ts'

export type Redemption = RedemptionInput & {
  readonly reference: string
  readonly metadata: string
  readonly quoteId?: string | undefined
}

/** The price of a redemption: the current one with the request that it is for, or a quoted one. */
export type Agreed = {
  readonly to: CatalogueCurrency
  readonly price: Price
  readonly offers: readonly [Offer, ...Offer[]]
  readonly request: PricedRequest | 'quoted'
  /** The quote that the redemption uses. */
  readonly quote?: Quote
  /** Of a redemption that pays on a network. */
  readonly gas?: GasTerms | undefined
}

/** What a redemption sends to a network. */
export type Sending = {
  readonly destination: Destination
  readonly gas: GasTerms
  /** One per offer. */
  readonly sends: readonly PreparedSend[]
}

type Parts = {
  readonly caller: MerchantCaller
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly toBookId: number
  readonly agreed: Agreed
  readonly input: Pick<Redemption, 'reference' | 'metadata' | 'into' | 'purchase'>
  readonly codeTail: string | null | undefined
  readonly receiptKey: number
  readonly sending: Sending | undefined
}

/** One alternative per offer, with its transfers, rows and events; and the redemption row of each, for the response. */
export function redemptionJournal(
  identity: Pick<Journal, 'id' | 'key' | 'requestFingerprint'>,
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
  const posting = (offer: Offer, i: number): Posting => ({
    ...movesOf(offer, identity.id, parts),
    documents: [
      ...documentsOf(offer, identity.id, createdAt, parts),
      ...sendDocuments(i, identity.id, createdAt, parts),
    ],
    // One that pays on a network is published when it is final.
    events: parts.sending === undefined ? eventsOf(offer, identity.id, parts) : [],
  })
  const [first, ...rest] = parts.agreed.offers
  const alternatives: Journal['alternatives'] = [posting(first, 0), ...rest.map((offer, i) => posting(offer, i + 1))]
  return { journal: { ...identity, kind: 'voucher.redeem', alternatives }, rows }
}

function movesOf(
  { amount, charge, chargedTo, toAmount }: Offer,
  id: string,
  { caller: { environmentId }, voucher, toBookId, input, sending }: Parts,
): Pick<Posting, 'transfers' | 'open'> {
  const own = (kind: AccountKind, bookId = voucher.bookId): Account => ({ bookId, ownerId: environmentId, kind })
  const from = voucherAccount(voucher)
  const earned = own(voucher.isStore ? 'store_float' : 'merchant', toBookId)
  const credited = input.into === undefined ? earned : walletAccount(input.into.userId, toBookId)
  const payee = sending === undefined ? credited : sendingAccount(id, toBookId)
  const paid = payAcross(environmentId, { account: from, amount }, { account: payee, amount: toAmount })
  if (charge === 0n) return paid
  const feePayer = chargedTo === 'voucher' ? from : own('merchant_admin')
  const fee = sending === undefined ? own('fee') : sendingAccount(id, voucher.bookId)
  return {
    transfers: [...paid.transfers, { from: feePayer, to: fee, amount: charge }],
    open: [...paid.open, fee],
  }
}

/** The value and the charge of a redemption that is on its way on a network. */
export function sendingAccount(redemptionId: string, bookId: number): Account {
  return { bookId, ownerId: redemptionId, kind: 'sending' }
}

function sendDocuments(i: number, id: string, askedAt: Date, { caller, voucher, sending }: Parts): Document[] {
  const send = sending?.sends[i]
  if (sending === undefined || send === undefined) return []
  const { destination, gas } = sending
  const { chain, recipient, token } = destination
  const { lane, to, data, value, units, signed } = send
  const sent = {
    networkId: chain.id,
    lane,
    reference: `redeem/${id}`,
    toAddress: to,
    data,
    value,
    askedAt,
    gasMax: gas.units,
  }
  return [
    sendDocument({ ...sent, id }),
    addressRedemptionDocument({
      environmentId: caller.environmentId,
      id,
      voucherId: voucher.id,
      networkId: chain.id,
      recipient,
      token,
      units,
      gas: gas.gas,
      gasWei: gas.wei,
      sendId: id,
      ...signed,
    }),
  ]
}

function documentsOf(offer: Offer, id: string, createdAt: Date, parts: Parts): Document[] {
  const { caller, voucher, toBookId, agreed, input, receiptKey } = parts
  const { amount, charge, chargeType, chargedTo, toAmount } = offer
  const { rate, source, asOf, spreadPpm } = agreed.price
  const isConverted = toBookId !== voucher.bookId
  const converted = {
    toBookId,
    toAmount,
    rateNumerator: rate.numerator,
    rateDenominator: rate.denominator,
    rateSource: source,
    rateSaidAt: asOf,
    spreadPpm: Number(spreadPpm),
  }
  const userId = input.into?.userId
  const made = { environmentId: caller.environmentId, id, userId, amount, createdAt }
  const documents = [
    transactionDocument({
      ...made,
      reference: input.reference,
      type: 'VOUCHER_REDEMPTION',
      status: parts.sending === undefined ? 'COMPLETED' : 'PROCESSING',
      bookId: voucher.bookId,
      charged: takenBy(offer),
      chargeType,
      metadata: input.metadata,
      memberId: caller.memberId,
      codeTail: parts.codeTail,
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
  const orderReference = orderOf(voucher, input.purchase)
  if (orderReference !== undefined) {
    const { environmentId } = caller
    documents.push(orderDocument({ environmentId, orderReference, id, reference: input.reference }))
  }
  if (userId === undefined) return documents
  const move = { userId, id, bookId: toBookId, kind: 'redeemed', amount: toAmount } as const
  return [...documents, walletMove({ ...move, ...(isConverted && { rate }) })]
}

/**
 * An event for the redeeming merchant and, if it is another merchant, one for the issuer without the sale's details.
 */
function eventsOf(
  { amount, charge, chargedTo }: Offer,
  id: string,
  { caller, voucher, currency, input }: Parts,
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
  const { reference, metadata, into } = input
  const made = { transactionId: id, reference, type: 'VOUCHER_REDEMPTION', metadata } as const
  const sale = { ...data, ...made, userId: into?.userId ?? null }
  const own = voucherEvent('voucher.redeemed', { environmentId, about }, sale)
  if (voucher.environmentId === environmentId) return [own]
  return [own, voucherEvent('voucher.redeemed', { environmentId: voucher.environmentId, about }, data)]
}
