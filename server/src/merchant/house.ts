import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import type { Owner } from '../http/caller.ts'
import type { Mode } from '../ledger/book.ts'
import { createMerchant } from './create-merchant.ts'
import { findEnvironment, findMerchantId } from './store.ts'

export type FindHouse = (mode: Mode) => Promise<Owner>

const houseCode = 'PLATFORM'

/** A person's reference there, where it must not meet another person's. */
export function houseReference(userId: string, key: string): string {
  return hash('sha256', `${userId}/${key}`, 'hex')
}

/**
 * The platform's own shop: it issues the vouchers that people buy, and redeems into their wallets. A merchant like any other, so that
 * its vouchers can be blocked, cancelled and replaced as any other's; made when it is first needed.
 */
export function createFindHouse(pool: Pool, clock: Clock, newId: NewId, platformName: string): FindHouse {
  const find = async (mode: Mode): Promise<Owner | undefined> => {
    const environmentId = await findEnvironment(pool, houseCode, mode)
    if (environmentId === undefined) return undefined
    return { merchantId: await findMerchantId(pool, houseCode), environmentId, mode }
  }
  const known = new Map<Mode, Owner>()
  return async (mode) => {
    const house = known.get(mode) ?? (await find(mode)) ?? (await make(mode))
    known.set(mode, house)
    return house
  }

  async function make(mode: Mode): Promise<Owner> {
    const names = { companyName: platformName, tradingName: '', description: '', avatar: '' }
    const profile = { code: houseCode, ...names, homeCurrency: 'USD', timeZone: 'UTC' }
    await createMerchant(pool, profile, clock, newId).catch((error: unknown) => {
      if (!hasCode(error, 'MERCHANT_CODE_TAKEN')) throw error
    })
    const house = await find(mode)
    if (house === undefined) throw new Error('The platform has no shop of its own.')
    return house
  }
}
