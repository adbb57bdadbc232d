// What every command shares: the connection to the database, the audit record, and the parsing of options.
import { systemClock } from '../server/src/base/clock.ts'
import { createPool, type Pool } from '../server/src/base/db.ts'
import { checkIsolation } from '../server/src/base/environment.ts'
import { hasCode } from '../server/src/base/errors.ts'
import { createIds, type NewId } from '../server/src/base/id.ts'
import { parseMoney } from '../server/src/base/money.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { type Config, readConfig } from '../server/src/config.ts'
import type { Mode } from '../server/src/base/mode.ts'
import { type Ledger, openLedger } from '../server/src/ledger/post.ts'
import type { AlertTools } from '../server/src/catalogue/exchange/alerts.ts'
import { merchantError } from '../server/src/identity/merchant/errors.ts'
import type { Environment } from '../server/src/identity/merchant/keys.ts'
import { createFindPlatformMerchant } from '../server/src/identity/merchant/platform-merchant.ts'
import { findEnvironment } from '../server/src/identity/merchant/store.ts'
import { noteAct } from '../server/src/identity/user/acts.ts'
import { recordCommand } from './audit.ts'

export type Tools = {
  readonly config: Config
  readonly pool: Pool
  readonly environment: (merchantCode: string, mode: Mode) => Promise<Environment>
  readonly clock: typeof systemClock
  readonly newId: NewId
  readonly random: typeof systemRandom
  readonly pepper: Buffer
}
export type ModeOption = { test?: boolean }

/** Runs a command with the operator's database role, records it, and closes the connections. */
export async function run(work: (tools: Tools) => Promise<void>): Promise<void> {
  const tools = connectTools()
  try {
    await checkIsolation(tools.pool)
    const act = await recordCommand(tools, process.argv.slice(2))
    await work(tools)
    await noteAct(tools.pool, act, 200)
  } catch (error) {
    if (hasCode(error, '42501'))
      throw new Error('This needs the operator’s database role: set OPERATOR_DATABASE_URL to scrip_operator.', {
        cause: error,
      })
    throw error
  } finally {
    await tools.pool.end()
  }
}

function connectTools(): Tools {
  const config = readConfig()
  const pool = createPool(config.operatorDatabaseUrl)
  const environment = async (merchantCode: string, mode: Mode): Promise<Environment> => {
    const environmentId = await findEnvironment(pool, merchantCode, mode)
    if (environmentId === undefined) throw merchantError('MERCHANT_NOT_FOUND')
    return { environmentId, mode }
  }
  const newId = createIds(systemClock, systemRandom)
  return { config, pool, environment, clock: systemClock, newId, random: systemRandom, pepper: config.keyPeppers[0] }
}

/** Opens the ledger with the operator's role, and closes it after the work. */
export async function withLedger<T>({ config, clock, newId }: Tools, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = openLedger({ url: config.operatorDatabaseUrl, clock, newId })
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** What `publishAlert` needs to notify the platform merchant. */
export function alertTools({ config, pool, clock, newId }: Tools): AlertTools {
  return {
    pool,
    clock,
    newId,
    findPlatformMerchant: createFindPlatformMerchant(pool, clock, newId, config.platformName),
  }
}

export function print(text: string): void {
  console.log(text)
}

export function modeOf({ test }: ModeOption): Mode {
  return test === true ? 'test' : 'live'
}

/** 1.5 is 15000 parts per million. */
export function parsePercent(text: string): bigint {
  return parseMoney(text, { code: 'percent', decimals: 4 }).minor
}
