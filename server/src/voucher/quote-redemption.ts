import type { MerchantCaller } from '../http/caller.ts'
import { usableVoucher } from './facts.ts'
import { type Offer, offersFor, takenBy } from './offer.ts'
import { checkLock } from './pin.ts'
import { priceWish, type RedemptionWish, refuseWallet, wishedAmount } from './price.ts'
import { quoteEnd, sealQuote } from './quote.ts'
import { adminAvailable, type RedeemTools, tooLow } from './redeem.ts'

export type Quoted = Awaited<ReturnType<typeof quoteRedemption>>

/** What a redemption would cost, and a price that one redemption may use within five minutes. */
export async function quoteRedemption(tools: RedeemTools, caller: MerchantCaller, ask: RedemptionWish) {
  const at = tools.clock()
  const facts = await tools.findFacts({ caller, code: ask.code })
  const voucher = usableVoucher(facts, caller, at)
  refuseWallet(ask)
  await checkLock(tools.checkPin, caller, voucher, ask)
  const { wish, price } = await priceWish(tools, facts, voucher, ask)
  const admin = await adminAvailable(tools, caller, voucher, wish)
  const fits = (offer: Offer): boolean =>
    takenBy(offer) <= wish.available && (offer.chargedTo === 'voucher' || offer.charge <= admin)
  const offer = offersFor(wish).find(fits)
  if (offer === undefined) throw tooLow(wish, admin)
  const expiresAt = quoteEnd(at)
  const { environmentId } = caller
  const wanted = { environmentId, voucherId: voucher.id, wished: wishedAmount(facts, ask.amount), to: wish.to.code }
  const quoteId = sealQuote(tools.keyRing, tools.random, wanted, { id: tools.newId(), offer, price, expiresAt })
  return { wish, price, voucher, offer, quoteId, expiresAt }
}
