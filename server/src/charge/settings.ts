import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { findCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { readProfile } from '../merchant/store.ts'
import { findMerchantTerms, listRules, pickRule, saveTakesFromBalance } from './store.ts'

export type ChargeTools = { readonly pool: Pool; readonly clock: Clock }

/** The fixed part of a charge is in the merchant's home currency. */
export async function readAdminCharges({ pool, clock }: ChargeTools, caller: MerchantCaller) {
  const { homeCurrency } = await readProfile(pool, caller.merchantId)
  const currency = await findCurrency(pool, homeCurrency, 'any')
  const { fixed } = pickRule(await listRules(pool), caller.mode, homeCurrency)
  const terms = (await findMerchantTerms(pool, [caller.environmentId], clock())).get(caller.environmentId)
  if (terms === undefined) throw new Error('A key belongs to an environment that is not there.')
  return { fixed: { minor: fixed, currency }, ...terms }
}

export async function setTakesFromBalance({ pool }: ChargeTools, { environmentId }: MerchantCaller, takes: boolean) {
  await withEnvironment(pool, environmentId, (tx) => saveTakesFromBalance(tx, environmentId, takes))
}
