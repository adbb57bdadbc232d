import type { Db } from '../../base/db.ts'
import type { RingSecret } from '../../base/seal.ts'
import { list, type RowOf, select, sql } from '../../base/sql.ts'
import { createKeyRing } from './key-ring.ts'

const useColumns = list({
  keyId: sql.smallint`key_id`,
  /** The kind of rows sealed with this key, such as vouchers. */
  what: sql.text`what`,
  rows: sql.bigint`rows`,
  id: sql.uuid`sample_id`,
  sealed: sql.bytea`sample_sealed`,
})

type KeyUse = Pick<RowOf<typeof useColumns>, 'keyId' | 'what' | 'rows'> & {
  readonly verdict: 'opens' | 'is not in the ring' | 'is another secret than the one they were sealed with'
}

/** Lists every key in use and tries the ring on one row of each. Run it before retiring a key and after a restore. */
export async function checkKeyRing(db: Db, secrets: readonly RingSecret[]): Promise<KeyUse[]> {
  const keyRing = createKeyRing(secrets)
  const uses = await select(db)`select ${useColumns} from key_ring_use()`
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
