import type { Pool } from '../../base/db.ts'
import type { Mode } from '../../base/mode.ts'
import { merchantError } from '../../identity/merchant/errors.ts'
import { findEnvironment } from '../../identity/merchant/store.ts'

/** The environment of the merchant that a visitor's link names. */
export async function findByCode(pool: Pool, code: string, mode: Mode): Promise<string> {
  const environmentId = await findEnvironment(pool, code.toUpperCase(), mode)
  if (environmentId === undefined) throw merchantError('MERCHANT_NOT_FOUND')
  return environmentId
}
