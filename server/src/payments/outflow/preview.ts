import type { Tx } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import { convert, type Rate } from '../../base/money.ts'
import { findLastRate } from '../../catalogue/currency/rates.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { rulesOf } from './request.ts'
import { decideOutflow, type OutflowRules } from './rules.ts'
import { readShop, sumRollingDay } from './store.ts'
import type { OutflowForecast } from './wire.ts'

/** What the rule depends on at this moment. For display: requestOutflow decides again, under its lock. */
export type OutflowLimits = {
  readonly rules: OutflowRules
  /** Of the rolling day. */
  readonly total: bigint
  /** From the currency of the outflow to the home currency. Undefined if no rate was ever known. */
  readonly rate: Rate | undefined
  readonly home: CatalogueCurrency
}

export async function readLimits(
  { clock }: Pick<PostTools, 'clock'>,
  tx: Tx,
  environmentId: string,
  currency: CatalogueCurrency,
): Promise<OutflowLimits> {
  const shop = await readShop(tx, environmentId)
  return {
    rules: await rulesOf({ clock }, tx, shop),
    total: await sumRollingDay(tx, environmentId, clock()),
    rate: (await findLastRate(tx, currency.code, shop.homeCurrency, clock))?.rate,
    home: await findCurrency(tx, shop.homeCurrency, 'any'),
  }
}

/** What the rule would decide about an outflow now. */
export function forecastOutflow(
  { rules, total, rate, home }: OutflowLimits,
  { amount, currency, isKnownRecipient }: ForecastInput,
): OutflowForecast {
  const homeAmount = rate === undefined ? undefined : convert({ minor: amount, currency }, rate, home, 'up').money.minor
  try {
    const { needsApproval, waitHours } = decideOutflow(rules, { homeAmount, total, isKnownRecipient })
    if (needsApproval) return 'needs_approval'
    return waitHours > 0 ? 'delayed' : 'sent'
  } catch (error) {
    if (hasCode(error, 'OUTFLOW_ABOVE_DAILY')) return 'above_daily'
    throw error
  }
}

type ForecastInput = {
  readonly amount: bigint
  readonly currency: CatalogueCurrency
  readonly isKnownRecipient: boolean
}
