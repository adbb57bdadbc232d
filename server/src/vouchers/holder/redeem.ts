import type { FindPlatformMerchant, MerchantCaller } from '../../http/caller.ts'
import { platformReference } from '../../identity/merchant/platform-merchant.ts'
import { quoteRedemption, type Quoted } from '../redeem/quote-redemption.ts'
import type { RedemptionInput } from '../redeem/price.ts'
import { type Redeemed, redeemVoucher, type RedeemTools } from '../redeem/redeem.ts'
import { voucherError } from '../code/errors.ts'
import { knownVoucher } from '../redeem/facts.ts'
import { findByCode } from './find-voucher.ts'
import { isDepositRefund } from './refund-payout.ts'

export type HolderRedeemTools = RedeemTools & { readonly findPlatformMerchant: FindPlatformMerchant }

/** A redemption to an address. Without the address, the platform would be paid. */
export type AddressRedemption = Pick<RedemptionInput, 'code' | 'amount' | 'lockPin' | 'to' | 'network'> & {
  readonly walletAddress: string
}

export async function quoteToAddress(tools: HolderRedeemTools, input: AddressRedemption): Promise<Quoted> {
  return quoteRedemption(tools, await callerFor(tools, input), input)
}

/**
 * Redeems a voucher to an address at the platform merchant, for its usual fee. Holders have no account: `key` is a random key of their
 * page, with which a retry returns the first result.
 */
export async function redeemToAddress(
  tools: HolderRedeemTools,
  input: AddressRedemption & { readonly quoteId: string; readonly key: string },
): Promise<Redeemed> {
  const { key, ...redemption } = input
  const caller = await callerFor(tools, input)
  return redeemVoucher(tools, caller, { ...redemption, reference: platformReference('holder', key), metadata: '' })
}

/**
 * The platform merchant, in the mode of the voucher. It redeems only what a holder finds: its own imported cards, which only it finds, are
 * unknown here.
 */
async function callerFor(tools: HolderRedeemTools, input: AddressRedemption): Promise<MerchantCaller> {
  const voucher = knownVoucher({ voucher: await findByCode(tools, input), code: input.code }, { hasSecret: false })
  if (!voucher.isOnchain && !(await isDepositRefund(tools.pool, voucher))) throw voucherError('VOUCHER_PAYS_NO_ADDRESS')
  const owner = await tools.findPlatformMerchant(voucher.mode)
  return { ...owner, keyId: 'holder', hasSecret: false }
}
