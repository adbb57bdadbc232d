import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { Money } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { readProfile } from '../merchant/store.ts'
import { findMerchantCharges, listRules, pickRule, saveTakesFromBalance } from './store.ts'

export type ChargeTools = { readonly pool: Pool; readonly clock: Clock }

export type AdminCharges = {
  /** The fixed part of a charge, in the merchant's home currency. */
  readonly fixed: Money
  readonly discountPpm: bigint
  readonly takesFromBalance: boolean
}

export async function readAdminCharges({ pool, clock }: ChargeTools, caller: MerchantCaller): Promise<AdminCharges> {
  const { homeCurrency } = await readProfile(pool, caller.merchantId)
  const currency = await findCurrency(pool, homeCurrency, 'any')
  const { fixed } = pickRule(await listRules(pool), caller.mode, homeCurrency)
  const own = await withEnvironment(pool, caller.environmentId, (tx) =>
    findMerchantCharges(tx, caller.environmentId, clock()),
  )
  return { fixed: { minor: fixed, currency }, ...own }
}

export async function setTakesFromBalance(
  { pool }: ChargeTools,
  { environmentId }: MerchantCaller,
  takes: boolean,
): Promise<void> {
  await withEnvironment(pool, environmentId, (tx) => saveTakesFromBalance(tx, environmentId, takes))
}
