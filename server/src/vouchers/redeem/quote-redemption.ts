import type { MerchantCaller } from '../../http/caller.ts'
import { checkUse } from './check-use.ts'
import { findDestination, payeeOf, quoteGasTo } from './destination.ts'
import { currencyOf, usableVoucher } from './facts.ts'
import { type Offer, offersFor, takenBy } from './offer.ts'
import type { OnchainVoucher } from '../voucher/onchain-store.ts'
import { type Priced, priceRedemption, type RedemptionInput, normalizeAmount } from './price.ts'
import { quoteEnd, sealQuote } from './quote.ts'
import { adminAvailable, type RedeemTools, tooLow } from './redeem.ts'
import type { Voucher } from '../voucher/store.ts'

export type Quoted = Priced & {
  readonly voucher: Voucher
  readonly offer: Offer
  readonly quoteId: string
  readonly expiresAt: Date
  /** Of a redemption that pays on a network: the part of the charge that is gas, and the whole charge in the network's smallest unit. */
  readonly gas: bigint
  readonly chargesInWei: bigint
  readonly onchain: OnchainVoucher | undefined
}

/** Quotes a redemption: its amounts and fee, and a quote id that one redemption may use within five minutes. */
export async function quoteRedemption(
  tools: RedeemTools,
  caller: MerchantCaller,
  input: RedemptionInput,
): Promise<Quoted> {
  const at = tools.clock()
  const facts = await tools.findFacts({ caller, code: input.code })
  const voucher = usableVoucher(facts, caller, at)
  const destination = await findDestination(tools, caller, voucher, input)
  await checkUse(tools, caller, facts, voucher, input)
  const gas = destination && (await quoteGasTo(tools, destination, currencyOf(facts, voucher)))
  const sending = destination && gas && { destination, gas }
  const { request, price } = await priceRedemption(tools, facts, voucher, input, sending)
  const admin = await adminAvailable(tools, caller, voucher, request)
  const fits = (offer: Offer): boolean =>
    takenBy(offer) <= request.available && (offer.chargedTo === 'voucher' || offer.charge <= admin)
  const offer = offersFor(request).find(fits)
  if (offer === undefined) throw tooLow(request, admin)
  const expiresAt = quoteEnd(at)
  const { environmentId } = caller
  const terms = {
    environmentId,
    voucherId: voucher.id,
    amount: normalizeAmount(facts, input.amount),
    to: request.to.code,
    payee: payeeOf(destination),
  }
  const gasTerms = gas && { gas: gas.gas, wei: gas.wei, units: gas.units }
  const quote = { id: tools.newId(), offer, price, expiresAt, gas: gasTerms }
  const quoteId = sealQuote(tools.keyRing, tools.random, terms, quote)
  const fee = offer.charge - (gas?.gas ?? 0n)
  const costs = { gas: gas?.gas ?? 0n, chargesInWei: gas?.withFeeInWei(fee) ?? 0n }
  return { request, price, voucher, offer, quoteId, expiresAt, ...costs, onchain: destination?.onchain }
}
