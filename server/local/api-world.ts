// The whole API on a database of its own, with two merchants and their keys, for tests of endpoints.
import { buildApp } from '../src/app.ts'
import { asRole } from './database.ts'
import { type Clock, systemClock } from '../src/base/clock.ts'
import { createPool } from '../src/base/db.ts'
import { createIds } from '../src/base/id.ts'
import { createLog } from '../src/base/log.ts'
import { systemRandom } from '../src/base/random.ts'
import { saveRule } from '../src/charge/store.ts'
import { readConfig } from '../src/config.ts'
import { saveTerms } from '../src/exchange/store.ts'
import { createMerchant } from '../src/merchant/create-merchant.ts'
import { createKey, type Environment, type KeyTools, revokeKey } from '../src/merchant/keys.ts'

export type ApiWorld = Awaited<ReturnType<typeof createApiWorld>>
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

type CallOptions = {
  body?: unknown
  as?: WorldMerchant
  keys?: 'both' | 'public' | 'none'
  headers?: Record<string, string>
  /** Where it comes from. */
  address?: string
}

export async function createApiWorld(url: string, clock: Clock = systemClock, settings: Record<string, string> = {}) {
  const logged: string[] = []
  const pepper = systemRandom(32)
  const keyRing = `1:${systemRandom(32).toString('hex')}`
  const limits = { REQUESTS_PER_MINUTE: '1000000', KEY_REQUESTS_PER_MINUTE: '1000000' }
  const config = readConfig({
    DATABASE_URL: url,
    CHAIN_DATABASE_URL: asRole(url, 'scrip_chain'),
    KEY_PEPPER: pepper.toString('hex'),
    KEY_RING: keyRing,
    PUBLIC_URL: 'https://pay.example',
    // Tests receive webhooks on this machine.
    WEBHOOK_NETWORKS: '127.0.0.1/32',
    ...limits,
    ...settings,
  })
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  // Tests change settings and ask at once.
  const { app, access, sweeps, stop } = await buildApp(config, log, { settingsMs: 0, clock })
  // As the operator: tests set rates, change the catalogue and fund.
  const pool = createPool(asRole(url, 'scrip_operator'))
  const newId = createIds(clock, systemRandom)
  const tools: KeyTools = { pool, clock, newId, random: systemRandom, pepper }

  const merchant = async (code: string): Promise<WorldMerchant> => {
    const names = { companyName: `${code} Ltd`, tradingName: code, description: `The shop ${code}`, avatar: '' }
    const profile = { code, ...names, homeCurrency: 'USD', timeZone: 'Africa/Lagos' }
    const { merchantId, testId, liveId } = await createMerchant(pool, profile, clock, newId)
    const environment: Environment = { environmentId: testId, mode: 'test' }
    const { key: publicKey } = await createKey(tools, environment, { kind: 'public', name: 'shop' })
    const { key: secretKey } = await createKey(tools, environment, { kind: 'secret', name: 'server' })
    const { id, key: revokedSecretKey } = await createKey(tools, environment, { kind: 'secret', name: 'lost' })
    await revokeKey(tools, environment, id)
    const live: Environment = { environmentId: liveId, mode: 'live' }
    const { key: livePublicKey } = await createKey(tools, live, { kind: 'public', name: 'shop' })
    const { key: liveSecretKey } = await createKey(tools, live, { kind: 'secret', name: 'server' })
    const wrong = { livePublicKey, liveSecretKey, revokedSecretKey }
    return { ...environment, merchantId, code, publicKey, secretKey, ...wrong }
  }
  const [ours, theirs] = [await merchant('OURS'), await merchant('THEIRS')]

  /** A request as our merchant with both keys, unless it says otherwise. */
  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { body, as = ours, keys = 'both', headers = {}, address }: CallOptions = {},
  ) => {
    const reply = await app.inject({
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
    return { status: reply.statusCode, text: reply.body, headers: reply.headers }
  }

  /** The rate and charge that most tests of money want: 0.10 and 1.5 %. */
  const charge = (fixed = 10n, sharePpm = 15_000n) => saveRule(pool, 'test', 'USD', { fixed, sharePpm })

  /** Converts at the market rate, for tests whose subject is not the spread. */
  const convertFree = (from: string, to: string) =>
    saveTerms(pool, from, to, { spreadPpm: 0n, tolerancePpm: 0n, bandPpm: 100_000n })

  /** What a worker would have done by now. */
  const work = async (): Promise<void> => {
    for (const { run, settle } of sweeps) {
      while (await run()) continue
      await settle?.()
    }
  }

  return {
    app,
    access,
    charge,
    convertFree,
    work,
    sweeps,
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
      for (const sweep of sweeps) await sweep.stop?.()
      await stop()
      await pool.end()
    },
  }
}
