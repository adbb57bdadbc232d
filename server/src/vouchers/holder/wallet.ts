import type { Money } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { FindPlatformMerchant } from '../../http/caller.ts'
import { platformReference } from '../../identity/merchant/platform-merchant.ts'
import { findPosted } from '../../ledger/store.ts'
import { userError } from '../../identity/user/errors.ts'
import { findUser, fullNameOf } from '../../identity/user/store.ts'
import { type Issued, issueJournal, readIssued } from '../voucher/issue.ts'
import type { RedemptionInput } from '../redeem/price.ts'
import { type Redeemed, redeemVoucher, type RedeemTools } from '../redeem/redeem.ts'
import { type Actor, type ActTools, performAct } from '../../payments/wallet/act.ts'
import { modeOf } from '../../payments/wallet/routes.ts'
import type { Signed } from '../../identity/user/session.ts'

export type HolderWalletTools = RedeemTools & ActTools & { readonly findPlatformMerchant: FindPlatformMerchant }

export type WalletRedemption = Pick<RedemptionInput, 'code' | 'amount' | 'lockPin'> & { readonly key: string }

/**
 * Redeems a voucher into the user's wallet at the platform merchant, without a fee and in the voucher's currency. Users who want another
 * currency exchange it in the wallet, within the daily limit.
 */
export async function redeemIntoWallet(
  tools: HolderWalletTools,
  signed: Signed,
  input: WalletRedemption,
): Promise<Redeemed> {
  const { id: userId } = signed.user
  const platformMerchant = await tools.findPlatformMerchant(modeOf(signed))
  const { key, ...redemption } = input
  const reference = platformReference(userId, key)
  const caller = { ...platformMerchant, keyId: userId, hasSecret: false }
  return redeemVoucher(tools, caller, { ...redemption, reference, metadata: '', into: { userId } })
}

export type Purchase = {
  readonly amount: Money
  readonly currency: CatalogueCurrency
  readonly lockPin?: string | undefined
  /** The recipient, by email or username. Absent: the buyer. */
  readonly gift?: string | undefined
  readonly key: string
  readonly pin?: string | undefined
}

/**
 * Buys a voucher from the wallet. A gift is emailed; if the address belongs to a user, it also appears in that user's wallet. The buyer's
 * response is the same in both cases.
 */
export async function buyVoucher(tools: HolderWalletTools, signed: Signed, input: Purchase): Promise<Issued> {
  const { user } = signed
  const mode = modeOf(signed)
  const platformMerchant = await tools.findPlatformMerchant(mode)
  const key = `wallet/${user.id}/${input.key}`
  const digits = String(input.amount.minor)
  const requestFingerprint = JSON.stringify([
    'buy',
    digits,
    input.currency.code,
    input.gift ?? '',
    input.lockPin !== undefined,
  ])
  const known = await findPosted(tools.pool, key, requestFingerprint).catch(() => undefined)
  if (known !== undefined) return readIssued(tools, platformMerchant, known)
  const buyer = { userId: user.id, name: fullNameOf(user) }
  const journal = await issueJournal(
    tools,
    platformMerchant,
    {
      amount: digits,
      currency: input.currency.code,
      // Prefixed, so that the same key can be used for a purchase and a redemption.
      reference: platformReference(user.id, `buy/${input.key}`),
      paidFrom: buyer,
      lockPin: input.lockPin,
      ...(await recipientOf(tools, signed, input.gift)),
    },
    input.amount,
    { key, requestFingerprint },
  )
  const actor: Actor = signed
  const [posting] = journal.alternatives
  const act = {
    kind: 'wallet.buy',
    key,
    requestFingerprint,
    pin: input.pin,
    id: journal.id,
    build: () => Promise.resolve(posting),
  }
  return readIssued(tools, platformMerchant, await performAct(tools, actor, act))
}

async function recipientOf({ pool }: HolderWalletTools, signed: Signed, gift: string | undefined) {
  if (gift === undefined) return {}
  const found = await findUser(pool, modeOf(signed), gift)
  const user = found?.isDiscoverable === true || gift.includes('@') ? found : undefined
  if (user !== undefined)
    return {
      recipient: { kind: 'user', name: user.id } as const,
      gift: { language: user.language, email: user.email },
    }
  if (!gift.includes('@')) throw userError('USER_NOT_FOUND', { param: 'for' })
  return {
    recipient: { kind: 'email', name: gift.toLowerCase() } as const,
    gift: { language: signed.user.language },
  }
}
