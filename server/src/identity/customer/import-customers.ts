import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { NewId } from '../../base/id.ts'
import { readCustomers } from './read-customers.ts'
import { countKnown, insertCustomers } from './store.ts'
import type { WireCustomerImport } from './wire.ts'

type ImportTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }
type ImportInput = { readonly csv: string; readonly isConfirmed: boolean }

/**
 * Imports customers, all rows of the file or none. Unconfirmed, the file is only checked. Customers whose address is known stay as they
 * are, so a repeated import adds nothing.
 */
export async function importCustomers(
  { pool, clock, newId }: ImportTools,
  environmentId: string,
  { csv, isConfirmed }: ImportInput,
): Promise<WireCustomerImport> {
  const { rows, faults } = readCustomers(csv)
  if (faults.length > 0) return { isDone: false, added: 0, known: 0, faults }
  return withEnvironment(pool, environmentId, async (tx) => {
    if (!isConfirmed) {
      const known = await countKnown(
        tx,
        environmentId,
        rows.map(({ email }) => email.toLowerCase()),
      )
      return { isDone: false, added: rows.length - known, known, faults }
    }
    const customers = rows.map((row) => ({ ...row, id: newId() }))
    const added = await insertCustomers(tx, environmentId, customers, clock())
    return { isDone: true, added, known: rows.length - added, faults }
  })
}
