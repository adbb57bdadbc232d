import type { Pool } from '../../base/db.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { showContact } from '../../identity/user/contact.ts'
import { findUsers, type User } from '../../identity/user/store.ts'
import type { ReadCode } from '../code/code.ts'
import { currencyOf, type FindFacts, visibleVoucher } from './facts.ts'
import { listRedemptions, type ListedRedemption } from '../voucher/history-store.ts'
import { findOnchain, type OnchainVoucher } from '../voucher/onchain-store.ts'
import type { Voucher } from '../voucher/store.ts'

/** `merchant` is set only for the issuer of the voucher and for the merchant itself. */
export type ShownRedemption = Pick<ListedRedemption, 'id' | 'amount' | 'createdAt'> & {
  readonly merchant: { readonly id: string; readonly code: string; readonly name: string } | undefined
  /** The user whose wallet was credited, under the same rule. */
  readonly user: User | undefined
  /** The address that was paid, or empty. Anybody can see it on the network. */
  readonly recipient: string
}

type VerifiedVoucher = {
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly redemptions: ShownRedemption[]
  readonly onchain: OnchainVoucher | undefined
}

const shownMax = 100

/**
 * A voucher with its balance and redemptions. Includes expired ones, so that staff can see why a voucher is refused.
 */
export async function verifyVoucher(
  { pool, findFacts }: { pool: Pool; findFacts: FindFacts },
  caller: MerchantCaller,
  code: ReadCode,
): Promise<VerifiedVoucher> {
  const facts = await findFacts({ caller, code })
  const voucher = visibleVoucher(facts, caller)
  const redemptions = await listRedemptions(pool, voucher.id, shownMax)
  const userIds = redemptions.flatMap(({ userId }) => (userId === null ? [] : [userId]))
  const users = userIds.length > 0 ? await findUsers(pool, userIds) : new Map<string, User>()
  const onchain = voucher.isOnchain ? (await findOnchain(pool, [voucher.id])).get(voucher.id) : undefined
  return { voucher, currency: currencyOf(facts, voucher), redemptions: redemptions.map(show), onchain }

  function show({ id, amount, createdAt, ...by }: ListedRedemption): ShownRedemption {
    const { environmentId } = caller
    const mayKnow = caller.hasSecret && (voucher.environmentId === environmentId || by.environmentId === environmentId)
    const merchant = { id: by.merchantId, code: by.merchantCode, name: by.merchantName }
    const redeemer = mayKnow && by.userId !== null ? users.get(by.userId) : undefined
    const user = redeemer && showContact(caller, redeemer)
    const recipient = by.recipient ?? ''
    return { id, amount, createdAt, user, recipient, merchant: mayKnow && by.userId === null ? merchant : undefined }
  }
}
