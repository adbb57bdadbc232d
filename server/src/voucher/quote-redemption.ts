import type { MerchantCaller } from '../http/caller.ts'
import { chargeTypeOf } from '../charge/price.ts'
import { usableVoucher } from './facts.ts'
import { type Offer, offersFor } from './offer.ts'
import { checkLock, type Priced, priceWish, type RedemptionWish, wishedAmount } from './price.ts'
import { quoteEnd, signQuote } from './quote.ts'
import { adminAvailable, type RedeemTools, tooLow } from './redeem.ts'
import type { Voucher } from './store.ts'

export type Quoted = Priced & {
  readonly voucher: Voucher
  readonly offer: Offer
  readonly quoteId: string
  readonly expiresAt: Date
}

/** What a redemption would cost, and a price that is kept for five minutes. */
export async function quoteRedemption(
  tools: RedeemTools,
  caller: MerchantCaller,
  ask: RedemptionWish,
): Promise<Quoted> {
  const at = tools.clock()
  const facts = await tools.findFacts({ caller, code: ask.code })
  const voucher = usableVoucher(facts, caller, at)
  await checkLock(tools.checkPin, voucher, ask.lockPin)
  const priced = await priceWish(tools, facts, voucher, ask)
  const { wish, rate, to } = priced
  const admin = await adminAvailable(tools.pool, caller, wish, tools.clock)
  const fits = ({ amount, charge, chargedTo }: Offer): boolean =>
    chargedTo === 'merchant' ? charge <= admin && amount <= wish.available : amount + charge <= wish.available
  const offer = offersFor(wish).find(fits)
  if (offer === undefined) throw tooLow(wish, admin)
  const expiresAt = quoteEnd(at)
  const quoteId = signQuote(tools.keyRing, {
    environmentId: caller.environmentId,
    voucherId: voucher.id,
    wished: wishedAmount(facts, voucher, ask.amount),
    to: to.code,
    offer,
    chargeType: chargeTypeOf(offer.charge, wish.terms),
    rate: rate.rate,
    rateSource: rate.source,
    rateSaidAt: rate.saidAt,
    expiresAt,
  })
  return { ...priced, voucher, offer, quoteId, expiresAt }
}
