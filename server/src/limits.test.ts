import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiProcess, startApi } from '../local/drill/api-process.ts'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { hasRedis, type LocalRedis, startRedis } from '../local/parts/redis.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { verifyLedger } from './ledger/verify.ts'

let world: ApiWorld
let redis: LocalRedis
let here: ApiProcess
let there: ApiProcess
let vouchers: string[]

// .ci/run installs Redis.
describe.skipIf(!hasRedis)('two API processes that share one Redis', () => {
  beforeAll(async () => {
    const { url } = await createTestDatabase()
    world = await createApiWorld(url)
    vouchers = await Promise.all(Array.from({ length: 16 }, () => world.voucher('10000.00')))
    redis = await startRedis()
    const settings = {
      DATABASE_URL: url,
      KEY_PEPPER: world.pepper,
      KEY_RING: world.keyRing,
      PUBLIC_URL: 'https://pay.example',
      PROXIES: '1',
      REQUESTS_PER_MINUTE: '1000000',
      KEY_REQUESTS_PER_MINUTE: '1000000',
      LOG_LEVEL: 'warn',
      REDIS_URL: redis.url,
    }
    here = await startApi(settings)
    there = await startApi(settings)
  })
  afterAll(async () => {
    await here.stop()
    await there.stop()
    await redis.stop()
    expect(await verifyLedger(world.pool)).toEqual([])
    await world.close()
  })

  test('sign-in attempts are limited across processes', async () => {
    // A process serves requests before it has connected to Redis.
    await until('shared')
    const alone = await countTries([here], 'one@example.com')
    expect(alone).toBeGreaterThan(5)
    expectShared(await countTries([here, there], 'two@example.com'), alone)
    expectShared(alone + (await countTries([there, here], 'one@example.com')), alone)
  })

  test('unknown codes at one process count at the other', async () => {
    const guess = async (api: ApiProcess) => (await redeem(api, 'ZZZZ-ZZZZ-ZZZZ-ZZZZ', 'guesser')).code
    const codes: string[] = []
    for (let i = 0; i < 100; i++) codes.push(await guess(here))
    expect(codes).not.toContain('VOUCHER_GUESSING')
    await sleep(200)
    // The process learns of the others' misses with its own first miss.
    expect(await guess(there)).not.toBe('VOUCHER_GUESSING')
    await sleep(200)
    expect(await guess(there)).toBe('VOUCHER_GUESSING')
  })

  test('while Redis hangs, stops and restarts, redemptions succeed, limits hold, and health reports it', async () => {
    await until('shared')
    const alone = await countTries([here], 'alone@example.com')
    expectShared(await countTries([here, there], 'before@example.com'), alone)
    const base = await redeemFor(1_500)

    redis.freeze()
    const frozen = await redeemFor(1_500)
    await until('degraded')
    expect(await countTries([here, there], 'frozen@example.com')).toBe(2 * alone)
    expect(await countTries([here, there], 'before@example.com')).toBe(0)
    redis.thaw()
    await until('shared')

    await redis.kill()
    const killed = await redeemFor(1_500)
    await until('degraded')
    expect(await countTries([here, there], 'before@example.com')).toBe(0)
    await redis.restart()
    await until('shared')
    expectShared(await countTries([here, there], 'after@example.com'), alone)

    for (const { sum, failed } of [base, frozen, killed]) {
      expect(failed).toEqual([])
      expect(sum).toBeGreaterThan(vouchers.length)
    }
  })
})

/**
 * Two processes that do not share allow twice as many tries as one. A process does not wait long for Redis, so on a busy machine it may
 * check a few passwords before it learns of the other's tries.
 */
function expectShared(tries: number, alone: number): void {
  expect(tries).toBeGreaterThanOrEqual(alone)
  expect(tries).toBeLessThan(1.5 * alone)
}

async function until(state: string): Promise<void> {
  const states = () => Promise.all([here, there].map(healthOf))
  await expect.poll(states, { timeout: 10_000 }).toEqual([state, state])
}

async function healthOf({ internalUrl }: ApiProcess): Promise<string> {
  const reply = await fetch(`${internalUrl}/health`)
  expect(reply.status).toBe(200)
  return ((await reply.json()) as { limits: string }).limits
}

/** Tries wrong passwords at the processes in turn until each refuses. Returns the number of passwords checked. */
async function countTries(apis: ApiProcess[], email: string): Promise<number> {
  let looked = 0
  const refused = new Set<ApiProcess>()
  for (let i = 0; refused.size < apis.length && i < 200; i++) {
    const api = apis[i % apis.length] as ApiProcess
    const { status } = await fetch(`${api.baseUrl}/auth/live/sign-in/email`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Scrip-Realm': 'live',
        Origin: 'https://pay.example',
        'X-Forwarded-For': '198.51.100.1',
      },
      body: JSON.stringify({ email, password: 'wrong horse battery' }),
    })
    expect([401, 429]).toContain(status)
    if (status === 429) refused.add(api)
    else looked++
  }
  return looked
}

async function redeem(api: ApiProcess, voucherCode: string, place = 'till') {
  const reply = await fetch(`${api.baseUrl}/merchant-integrations/redeem-voucher`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${world.ours.publicKey}`,
      'Content-Type': 'application/json',
      'X-Forwarded-For': place === 'till' ? '203.0.113.1' : '203.0.113.2',
    },
    body: JSON.stringify({ voucherCode, amount: 0.5 }),
  })
  const { error } = (await reply.json()) as { error?: { code: string } }
  return { status: reply.status, code: error?.code ?? '' }
}

/** Redeems every voucher at both processes, one after the other. */
async function redeemFor(ms: number) {
  const untilMs = performance.now() + ms
  let sum = 0
  const failed: { status: number; code: string }[] = []
  const run = async (code: string, index: number): Promise<void> => {
    while (performance.now() < untilMs) {
      const answer = await redeem(index % 2 === 0 ? here : there, code)
      sum++
      if (answer.status !== 200) failed.push(answer)
    }
  }
  await Promise.all(vouchers.map(run))
  return { sum, failed }
}
