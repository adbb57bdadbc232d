// Whether balances are what the redemptions in the database add up to.
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { readBalance } from '../vouchers/world.ts'
import type { World } from './world.ts'

/** Returns what is wrong. */
export async function checkBalances({ pool, shop, vouchers }: World): Promise<string[]> {
  const redemptions = await pool.query<{ sum: bigint }>(
    'select coalesce(sum(amount), 0)::numeric as sum from all_redemptions where environment_id = $1',
    [shop.environmentId],
  )
  const redeemed = redemptions.rows[0]?.sum ?? 0n
  const earned = await readBalance(pool, shop.environmentId, 'merchant')
  const left = await pool.query<{ sum: bigint }>(
    `select sum(balance)::numeric from ledger_accounts where kind = 'voucher' and owner_id = any($1)`,
    [vouchers.map(({ id }) => id)],
  )
  const spent = vouchers.reduce((sum, { value }) => sum + value, 0n) - (left.rows[0]?.sum ?? 0n)
  const faults = await verifyLedger(pool)
  if (earned !== redeemed) faults.push(`the merchant has ${earned}, and redemptions add up to ${redeemed}`)
  if (spent !== redeemed) faults.push(`vouchers paid ${spent}, and redemptions add up to ${redeemed}`)
  return faults
}
