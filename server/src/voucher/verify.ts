import type { Pool } from '../base/db.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { findPeople, type Person } from '../user/store.ts'
import type { ReadCode } from './code.ts'
import { currencyOf, type FindFacts, visibleVoucher } from './facts.ts'
import { listRedemptions, type ListedRedemption } from './history-store.ts'

/** `merchant` only for who may know: the issuer of the voucher, and the merchant itself. */
export type ShownRedemption = Pick<ListedRedemption, 'id' | 'amount' | 'createdAt'> & {
  readonly merchant: { readonly id: string; readonly code: string; readonly name: string } | undefined
  /** Into whose wallet, if a person's: for who may know. */
  readonly person: Person | undefined
}

const shownMax = 100

/** What a voucher is and what is left of it. An expired one is shown too: its holder may ask why it is refused. */
export async function verifyVoucher(
  { pool, findFacts }: { pool: Pool; findFacts: FindFacts },
  caller: MerchantCaller,
  code: ReadCode,
) {
  const facts = await findFacts({ caller, code })
  const voucher = visibleVoucher(facts, caller)
  const redemptions = await listRedemptions(pool, voucher.id, shownMax)
  const userIds = redemptions.flatMap(({ userId }) => (userId === null ? [] : [userId]))
  const people = userIds.length > 0 ? await findPeople(pool, userIds) : new Map<string, Person>()
  return { voucher, currency: currencyOf(facts, voucher), redemptions: redemptions.map(show) }

  function show({ id, amount, createdAt, ...by }: ListedRedemption): ShownRedemption {
    const { environmentId } = caller
    const mayKnow = caller.hasSecret && (voucher.environmentId === environmentId || by.environmentId === environmentId)
    const merchant = { id: by.merchantId, code: by.merchantCode, name: by.merchantName }
    const person = mayKnow && by.userId !== null ? people.get(by.userId) : undefined
    return { id, amount, createdAt, person, merchant: mayKnow && by.userId === null ? merchant : undefined }
  }
}
