import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Owner } from '../../http/caller.ts'
import { type ReportAccount, reportAccounts } from './accounts.ts'
import { type AccountNumber, listNumbers, saveNumbers } from './store.ts'

/** The numbers that the merchant's own bookkeeping has for the accounts. Empty: none yet. */
export async function readNumbers(pool: Pool, { environmentId, merchantId }: Owner): Promise<AccountNumber[]> {
  const known = await withEnvironment(pool, environmentId, (tx) => listNumbers(tx, merchantId))
  const numberOf = (account: ReportAccount): string => known.find((each) => each.account === account)?.number ?? ''
  return reportAccounts.map((account) => ({ account, number: numberOf(account) }))
}

/** Sets the numbers of some accounts, in test and live mode. An empty number removes it. */
export async function changeNumbers(
  pool: Pool,
  { environmentId, merchantId }: Owner,
  numbers: readonly AccountNumber[],
): Promise<void> {
  const trimmed = numbers.map(({ account, number }) => ({ account, number: number.trim() }))
  // The last number of an account counts.
  const last = new Map(trimmed.map((each) => [each.account, each]))
  await withEnvironment(pool, environmentId, (tx) => saveNumbers(tx, merchantId, [...last.values()]))
}
