import type { Clock } from '../../base/clock.ts'
import { inTransaction, type Pool } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import type { NewId } from '../../base/id.ts'
import { merchantError } from './errors.ts'
import { insertEnvironment, insertMerchant, type Profile } from './store.ts'

export type NewMerchant = { readonly merchantId: string; readonly liveId: string; readonly testId: string }

/** Creates a merchant with its two environments, without keys. */
export async function createMerchant(pool: Pool, profile: Profile, clock: Clock, newId: NewId): Promise<NewMerchant> {
  checkTimeZone(profile.timeZone)
  const made = { merchantId: newId(), liveId: newId(), testId: newId() }
  try {
    await inTransaction(pool, async (tx) => {
      await insertMerchant(tx, made.merchantId, profile, clock())
      await insertEnvironment(tx, made.liveId, made.merchantId, 'live')
      await insertEnvironment(tx, made.testId, made.merchantId, 'test')
    })
  } catch (error) {
    throw hasCode(error, '23505') ? merchantError('MERCHANT_CODE_TAKEN', { param: 'code' }, error) : error
  }
  return made
}

export function checkTimeZone(name: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch (error) {
    throw merchantError('TIME_ZONE_UNKNOWN', { param: 'timeZone' }, error)
  }
}
