// A merchant in test mode with its keys, for drills and tests of the whole platform.
import { systemClock } from '../../src/base/clock.ts'
import type { Pool } from '../../src/base/db.ts'
import { createIds } from '../../src/base/id.ts'
import { systemRandom } from '../../src/base/random.ts'
import { createMerchant } from '../../src/identity/merchant/create-merchant.ts'
import { createKey } from '../../src/identity/merchant/keys.ts'
import { asRole } from '../parts/database.ts'

type DrillSettings = Record<string, string> & { readonly PUBLIC_URL: string }

/** Settings of the API in drills: no limits by address or key, and one trusted proxy. */
export function drillSettings(databaseUrl: string, pepper: Buffer): DrillSettings {
  return {
    DATABASE_URL: databaseUrl,
    CHAIN_DATABASE_URL: asRole(databaseUrl, 'scrip_chain'),
    KEY_PEPPER: pepper.toString('hex'),
    KEY_RING: `1:${systemRandom(32).toString('hex')}`,
    // Receipts contain it, so it must not depend on the process that signs them.
    PUBLIC_URL: 'https://pay.example',
    PROXIES: '1',
    REQUESTS_PER_MINUTE: '1000000',
    KEY_REQUESTS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  }
}

export type OpenedShop = { readonly environmentId: string; readonly publicKey: string; readonly secretKey: string }

export async function openShop(
  pool: Pool,
  pepper: Buffer,
  code: string,
  tradingName = code,
  contactEmail = '',
): Promise<OpenedShop> {
  const newId = createIds(systemClock, systemRandom)
  const tools = { pool, clock: systemClock, newId, random: systemRandom, pepper }
  const names = { companyName: `${tradingName} Ltd`, tradingName, description: tradingName, avatar: '' }
  const profile = { code, ...names, homeCurrency: 'USD', timeZone: 'Africa/Lagos', contactEmail }
  const { testId: environmentId } = await createMerchant(pool, profile, systemClock, newId)
  const environment = { environmentId, mode: 'test' as const }
  const { key: publicKey } = await createKey(tools, environment, { kind: 'public', name: 'shop' })
  const { key: secretKey } = await createKey(tools, environment, { kind: 'secret', name: 'server' })
  return { environmentId, publicKey, secretKey }
}
