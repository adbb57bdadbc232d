import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Money } from '../../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import {
  findHomeCurrency,
  findMerchantTerms,
  listRules,
  type MerchantTerms,
  pickRule,
  saveTakesFromBalance,
} from './store.ts'

export type ChargeTools = { readonly pool: Pool; readonly clock: Clock }

/** `fixed` is the fixed part of a fee, in the merchant's home currency. `sharePpm` of the amount is added to it. */
type AdminCharges = MerchantTerms & { readonly fixed: Money; readonly sharePpm: bigint }

export async function readAdminCharges({ pool, clock }: ChargeTools, caller: MerchantCaller): Promise<AdminCharges> {
  const homeCurrency = await findHomeCurrency(pool, caller.merchantId)
  const currency = await findCurrency(pool, homeCurrency, 'any')
  const { fixed, sharePpm } = pickRule(await listRules(pool), caller.mode, homeCurrency)
  const terms = (await findMerchantTerms(pool, [caller.environmentId], clock())).get(caller.environmentId)
  if (terms === undefined) throw new Error('An API key belongs to a missing environment.')
  return { fixed: { minor: fixed, currency }, sharePpm, ...terms }
}

export async function setTakesFromBalance(
  { pool }: ChargeTools,
  { environmentId }: MerchantCaller,
  takes: boolean,
): Promise<void> {
  await withEnvironment(pool, environmentId, (tx) => saveTakesFromBalance(tx, environmentId, takes))
}
