import type { Db } from '../base/db.ts'
import type { RingSecret } from '../base/seal.ts'
import { createKeyRing } from './key-ring.ts'

type KeyUse = {
  readonly keyId: number
  readonly vouchers: bigint
  readonly verdict: 'opens' | 'is not in the ring' | 'is another secret than the one they were sealed with'
}

/** Which keys the vouchers were made under, and whether this ring opens one of each: before a key is retired, and after a restore. */
export async function checkKeyRing(db: Db, secrets: readonly RingSecret[]): Promise<KeyUse[]> {
  const keyRing = createKeyRing(secrets)
  const { rows } = await db.query<{ keyId: number; vouchers: bigint; id: string; sealed: Buffer }>(
    'select key_id as "keyId", vouchers, sample_id as id, sample_sealed as sealed from key_ring_use()',
  )
  return rows.map(({ id, keyId, vouchers, sealed }) => {
    if (keyRing.findKey(keyId) === undefined) return { keyId, vouchers, verdict: 'is not in the ring' }
    try {
      keyRing.open(id, { keyId, sealed })
      return { keyId, vouchers, verdict: 'opens' }
    } catch {
      return { keyId, vouchers, verdict: 'is another secret than the one they were sealed with' }
    }
  })
}
