import type { Pool } from '../../base/db.ts'
import { checkTimeZone } from './create-merchant.ts'
import { merchantError } from './errors.ts'
import { type Profile, updateProfile } from './store.ts'

/** Changes the given fields. The code cannot change, because others refer to it. */
export async function updateMerchant(pool: Pool, code: string, changes: Partial<Omit<Profile, 'code'>>): Promise<void> {
  if (changes.timeZone !== undefined) checkTimeZone(changes.timeZone)
  if (!(await updateProfile(pool, code, changes))) throw merchantError('MERCHANT_NOT_FOUND')
}
