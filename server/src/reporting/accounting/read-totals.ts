import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Owner } from '../../http/caller.ts'
import { type ReportAccount, reportAccounts } from './accounts.ts'
import { readPeriod, type Period, type PeriodInput } from './period.ts'
import { sumMovements } from './store.ts'

/** The sums of an account in a period: those of its lines in the export. */
export type AccountTotal = {
  readonly currency: string
  readonly account: ReportAccount
  readonly opening: bigint
  readonly valueIn: bigint
  readonly valueOut: bigint
}

/** The sums of every account in every currency. In each currency as much came in as went out. */
export async function readTotals(
  pool: Pool,
  { environmentId, merchantId }: Owner,
  input: PeriodInput,
  at: Date,
): Promise<{ period: Period; totals: AccountTotal[] }> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const period = await readPeriod(tx, merchantId, input, at)
    const movements = await sumMovements(tx, environmentId, period, reportAccounts)
    const groups = Map.groupBy(movements, ({ currency, account }) => `${currency} ${account}`)
    const totals = [...groups.values()].flatMap((group): AccountTotal[] => {
      const [first] = group
      if (first === undefined) return []
      const { currency, account } = first
      const inside = group.filter(({ isBefore }) => !isBefore)
      const before = group.filter(({ isBefore }) => isBefore)
      const opening = before.reduce((sum, each) => sum + each.valueIn - each.valueOut, 0n)
      const valueIn = inside.reduce((sum, each) => sum + each.valueIn, 0n)
      const valueOut = inside.reduce((sum, each) => sum + each.valueOut, 0n)
      return [{ currency, account, opening, valueIn, valueOut }]
    })
    const place = (each: AccountTotal): number => reportAccounts.indexOf(each.account)
    return { period, totals: totals.sort((a, b) => a.currency.localeCompare(b.currency) || place(a) - place(b)) }
  })
}
