import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { executeOne } from '../../base/sql.ts'
import { listNetworks } from '../../catalogue/currency/store.ts'
import type { Voucher } from '../voucher/store.ts'
import type { WirePayoutOption } from './wire.ts'

/**
 * Whether a voucher is the refund of a crypto deposit, or replaces one. Its holder paid on a network and may be paid there. The holder of
 * any other offchain voucher gets goods for it and no money.
 */
export async function isDepositRefund(
  pool: Pool,
  { environmentId, id }: Pick<Voucher, 'environmentId' | 'id'>,
): Promise<boolean> {
  return withEnvironment(
    pool,
    environmentId,
    (tx) => executeOne(tx)`
      with recursive origins as (
        select ${id}::uuid as id
        union
        select v.id from vouchers v join origins o on v.replaced_by = o.id where v.environment_id = ${environmentId}
      )
      select from deposit_refunds r join origins o on o.id = r.voucher_id where r.environment_id = ${environmentId}`,
  )
}

/** Where the holder of an offchain voucher can have it paid to an address: its own currency first. Empty if nowhere. */
export async function listPayoutOptions(pool: Pool, voucher: Voucher): Promise<WirePayoutOption[]> {
  const { isOnchain, mode, currency: own } = voucher
  if (isOnchain || !(await isDepositRefund(pool, voucher))) return []
  const networks = (await listNetworks(pool)).filter((each) => each.mode === mode && each.paysAddresses)
  const options = networks.flatMap(({ abbreviation, name, tokens }) =>
    tokens
      .filter(({ currency }) => currency.isActive)
      .map(({ currency }) => ({ network: abbreviation, networkName: name, currency: currency.code })),
  )
  return [...options.filter(({ currency }) => currency === own), ...options.filter(({ currency }) => currency !== own)]
}
