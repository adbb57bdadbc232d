import type { Db } from '../base/db.ts'
import type { RingSecret } from '../base/seal.ts'
import { createKeyRing } from './key-ring.ts'

type KeyUse = {
  readonly keyId: number
  /** The kind of rows sealed with this key, such as vouchers. */
  readonly what: string
  readonly rows: bigint
  readonly verdict: 'opens' | 'is not in the ring' | 'is another secret than the one they were sealed with'
}

/** Lists every key in use and tries the ring on one row of each. Run it before retiring a key and after a restore. */
export async function checkKeyRing(db: Db, secrets: readonly RingSecret[]): Promise<KeyUse[]> {
  const keyRing = createKeyRing(secrets)
  const { rows: uses } = await db.query<{ keyId: number; what: string; rows: bigint; id: string; sealed: Buffer }>(
    'select key_id as "keyId", what, rows, sample_id as id, sample_sealed as sealed from key_ring_use()',
  )
  return uses.map(({ id, keyId, what, rows, sealed }) => {
    const use = { keyId, what, rows }
    if (keyRing.findKey(keyId) === undefined) return { ...use, verdict: 'is not in the ring' }
    try {
      keyRing.open(id, { keyId, sealed })
      return { ...use, verdict: 'opens' }
    } catch {
      return { ...use, verdict: 'is another secret than the one they were sealed with' }
    }
  })
}
