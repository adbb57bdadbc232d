import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import type { NewId } from '../../base/id.ts'
import type { FindPlatformMerchant, Owner } from '../../http/caller.ts'
import type { Mode } from '../../base/mode.ts'
import { createMerchant } from './create-merchant.ts'
import { findEnvironment, findMerchantId } from './store.ts'

const platformMerchantCode = 'PLATFORM'

/** A user's reference at the platform merchant. It includes the user's id, so that two users can use the same key. */
export function platformReference(userId: string, key: string): string {
  return hash('sha256', `${userId}/${key}`, 'hex')
}

/**
 * The platform's own merchant. It issues the vouchers that users buy and redeems vouchers into wallets. It is an ordinary merchant,
 * so its vouchers can be blocked, cancelled and replaced; it is created when first needed.
 */
export function createFindPlatformMerchant(
  pool: Pool,
  clock: Clock,
  newId: NewId,
  platformName: string,
): FindPlatformMerchant {
  const find = async (mode: Mode): Promise<Owner | undefined> => {
    const environmentId = await findEnvironment(pool, platformMerchantCode, mode)
    if (environmentId === undefined) return undefined
    return { merchantId: await findMerchantId(pool, platformMerchantCode), environmentId, mode }
  }
  const known = new Map<Mode, Owner>()
  return async (mode) => {
    const platformMerchant = known.get(mode) ?? (await find(mode)) ?? (await make(mode))
    known.set(mode, platformMerchant)
    return platformMerchant
  }

  async function make(mode: Mode): Promise<Owner> {
    const names = { companyName: platformName, tradingName: '', description: '', avatar: '' }
    const profile = { code: platformMerchantCode, ...names, homeCurrency: 'USD', timeZone: 'UTC' }
    await createMerchant(pool, profile, clock, newId).catch((error: unknown) => {
      if (!hasCode(error, 'MERCHANT_CODE_TAKEN')) throw error
    })
    const platformMerchant = await find(mode)
    if (platformMerchant === undefined) throw new Error('The platform merchant does not exist.')
    return platformMerchant
  }
}
