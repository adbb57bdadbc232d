import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../src/base/clock.ts'
import type { Pool } from '../../src/base/db.ts'
import { createMemoryLimits } from '../../src/http/limit.ts'
import { createSetLogo, readBrand } from '../../src/identity/merchant/brand.ts'
import { saveBrand } from '../../src/identity/merchant/brand-store.ts'

export const demoBrand = { accent: '#0b6e5f', address: '12 Marina Road\nLagos 101001', taxNumber: 'NG 20145678-0001' }

/** A PNG in base64. */
export function readDemoLogo(): string {
  return readFileSync(join(import.meta.dirname, 'demo-logo.png'), 'base64')
}

/** Gives the demo shop a logo, a colour, an address and a tax number. */
export async function giveBrand(pool: Pool, environmentId: string, clock: Clock): Promise<void> {
  const limits = createMemoryLimits(clock)
  await saveBrand(pool, environmentId, readBrand(demoBrand))
  await createSetLogo(pool, limits.createLimit)(environmentId, readDemoLogo())
  limits.close()
}
