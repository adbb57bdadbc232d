// The whole API with a database, two merchants and their keys, for tests of endpoints.
import { buildApp } from '../../src/app.ts'
import { checkDocument, checkSchemas } from './check-document.ts'
import { asRole } from '../parts/database.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { createPool, type Pool } from '../../src/base/db.ts'
import { createIds, type NewId } from '../../src/base/id.ts'
import { createLog } from '../../src/base/log.ts'
import { systemRandom } from '../../src/base/random.ts'
import { saveRule } from '../../src/catalogue/charge/store.ts'
import { readConfig } from '../../src/config.ts'
import { saveTerms } from '../../src/catalogue/exchange/store.ts'
import { createMerchant } from '../../src/identity/merchant/create-merchant.ts'
import { createKey, type Environment, type KeyTools, revokeKey } from '../../src/identity/merchant/keys.ts'
import { createMerchantActs, type MerchantActs } from './merchant-acts.ts'
import { type Fields, readReply, type Reply } from './reply.ts'

type App = Awaited<ReturnType<typeof buildApp>>
type Method = 'GET' | 'POST' | 'DELETE'
export type Call = <Data = Fields>(method: Method, path: string, options?: CallOptions) => Promise<Reply<Data>>

type ApiParts = Pick<App, 'app' | 'access' | 'jobs'>
export type ApiWorld = ApiParts &
  MerchantActs & {
    /** Sets the fee that most tests of money use: 0.10 and 1.5 %. */
    readonly charge: (fixed?: bigint, sharePpm?: bigint) => Promise<void>
    /** Converts at the market rate, for tests that do not check the spread. */
    readonly convertFree: (from: string, to: string) => Promise<void>
    /** Runs every job of a worker until there is nothing left to do. */
    readonly work: () => Promise<void>
    readonly tools: KeyTools
    /** Connects as the operator: tests set rates, change the catalogue and fund. */
    readonly pool: Pool
    readonly newId: NewId
    readonly pepper: string
    readonly keyRing: string
    readonly ours: WorldMerchant
    readonly theirs: WorldMerchant
    /** Sends a request as our merchant with both keys, unless the options differ. */
    readonly call: Call
    readonly logged: () => string
    readonly close: () => Promise<void>
  }
export type WorldMerchant = Environment & {
  merchantId: string
  code: string
  publicKey: string
  secretKey: string
  /** For tests of wrong credentials. */
  livePublicKey: string
  liveSecretKey: string
  revokedSecretKey: string
}

export type CallOptions = {
  body?: unknown
  as?: WorldMerchant
  keys?: 'both' | 'public' | 'none'
  headers?: Record<string, string>
  /** The client's address. */
  address?: string
}

export async function createApiWorld(
  url: string,
  clock: Clock = systemClock,
  settings: Record<string, string> = {},
): Promise<ApiWorld> {
  const logged: string[] = []
  const pepper = systemRandom(32)
  const keyRing = `1:${systemRandom(32).toString('hex')}`
  const config = readConfig({
    DATABASE_URL: url,
    CHAIN_DATABASE_URL: asRole(url, 'scrip_chain'),
    KEY_PEPPER: pepper.toString('hex'),
    KEY_RING: keyRing,
    PUBLIC_URL: 'https://pay.example',
    // Tests receive webhooks on this machine.
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    REQUESTS_PER_MINUTE: '1000000',
    KEY_REQUESTS_PER_MINUTE: '1000000',
    ...settings,
  })
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  // Settings are not cached, because tests change them and expect the effect at once.
  const { app, access, jobs, stop } = await buildApp(config, log, { settingsMs: 0, clock })
  const undocumented = checkDocument(app)
  const unfit = checkSchemas(app)
  const pool = createPool(asRole(url, 'scrip_operator'))
  const newId = createIds(clock, systemRandom)
  const tools: KeyTools = { pool, clock, newId, random: systemRandom, pepper }
  const ours = await addWorldMerchant(tools, 'OURS')
  const theirs = await addWorldMerchant(tools, 'THEIRS')

  const call = createCall(app, ours)

  return {
    app,
    access,
    ...createMerchantActs(call),
    charge: (fixed = 10n, sharePpm = 15_000n) => saveRule(pool, 'test', 'USD', { fixed, sharePpm }),
    convertFree: (from, to) => saveTerms(pool, from, to, { spreadPpm: 0n, tolerancePpm: 0n, bandPpm: 100_000n }),
    work: () => runJobs(jobs),
    jobs,
    tools,
    pool,
    newId,
    pepper: pepper.toString('hex'),
    keyRing,
    ours,
    theirs,
    call,
    logged: () => logged.join(''),
    close: async () => {
      for (const job of jobs) await job.stop?.()
      await stop()
      await pool.end()
      // Every test of an endpoint is also a test of the document.
      if (undocumented.list().length > 0)
        throw new Error(`The OpenAPI document does not describe:\n${undocumented.list().join('\n')}`)
      if (unfit.list().length > 0) throw new Error(`Responses do not fit their schemas:\n${unfit.list().join('\n')}`)
    },
  }
}

async function addWorldMerchant(tools: KeyTools, code: string): Promise<WorldMerchant> {
  const names = { companyName: `${code} Ltd`, tradingName: code, description: `The shop ${code}`, avatar: '' }
  const profile = { code, ...names, homeCurrency: 'USD', timeZone: 'Africa/Lagos' }
  const { merchantId, testId, liveId } = await createMerchant(tools.pool, profile, tools.clock, tools.newId)
  const environment: Environment = { environmentId: testId, mode: 'test' }
  const { key: publicKey } = await createKey(tools, environment, { kind: 'public', name: 'shop' })
  const { key: secretKey } = await createKey(tools, environment, { kind: 'secret', name: 'server' })
  const { id, key: revokedSecretKey } = await createKey(tools, environment, { kind: 'secret', name: 'lost' })
  await revokeKey(tools, environment, id)
  const live: Environment = { environmentId: liveId, mode: 'live' }
  const { key: livePublicKey } = await createKey(tools, live, { kind: 'public', name: 'shop' })
  const { key: liveSecretKey } = await createKey(tools, live, { kind: 'secret', name: 'server' })
  const wrongKeys = { livePublicKey, liveSecretKey, revokedSecretKey }
  return { ...environment, merchantId, code, publicKey, secretKey, ...wrongKeys }
}

function createCall(app: App['app'], ours: WorldMerchant): Call {
  return async (method, path, { body, as = ours, keys = 'both', headers = {}, address } = {}) => {
    const response = await app.inject({
      method,
      url: path,
      headers: {
        ...(keys !== 'none' && { authorization: `Bearer ${as.publicKey}` }),
        ...(keys === 'both' && { 'x-api-private-key': as.secretKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(address !== undefined && { remoteAddress: address }),
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return readReply(response)
  }
}

async function runJobs(jobs: App['jobs']): Promise<void> {
  for (const { run, settle } of jobs) {
    while (await run()) continue
    await settle?.()
  }
}
