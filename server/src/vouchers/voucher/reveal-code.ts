import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { showCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { findOnchain, type VaultPlace } from './onchain-store.ts'
import { listOwnVouchers } from './store.ts'

type RevealTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: KeyRing }

type Revealed = { readonly code: string } & Partial<VaultPlace>

/**
 * The full code of one voucher, for its issuer, with the place of an onchain voucher. Lists show only the last symbols, so that the audit log names
 * everyone who viewed a full code. Codes of a batch stay hidden until the batch is downloaded.
 */
export async function revealCode(
  { pool, clock, keyRing }: RevealTools,
  environmentId: string,
  id: string,
): Promise<Revealed> {
  const [voucher] = await withEnvironment(pool, environmentId, (tx) =>
    listOwnVouchers(tx, environmentId, { ids: [id.toLowerCase()] }, clock()),
  )
  if (voucher === undefined) throw voucherError('ISSUED_UNKNOWN')
  if (!voucher.isDelivered) throw voucherError('ISSUED_NOT_HANDED_OVER')
  const code = showCode(keyRing.open(voucher.id, voucher))
  const onchain = voucher.isOnchain ? (await findOnchain(pool, [voucher.id])).get(voucher.id) : undefined
  return onchain === undefined ? { code } : { code, network: onchain.networkName, vault: onchain.vault }
}
