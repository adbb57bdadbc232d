import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasRedis, type LocalRedis, startRedis } from '../../local/parts/redis.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import type { Limit, Limits } from './limit.ts'
import { openLimits } from './shared-limits.ts'

let redis: LocalRedis
let opened: Limits[]
let logged: string[]

// .ci/run installs it.
describe.skipIf(!hasRedis)('limits shared through Redis', () => {
  beforeEach(async () => {
    redis = await startRedis()
    opened = []
    logged = []
  })
  afterEach(async () => {
    for (const { close } of opened) close()
    await redis.stop()
  })

  /** Opens limits as one process of the platform does. */
  async function open(redisUrl = redis.url): Promise<Limits> {
    const log = createLog('info', { write: (line: string) => void logged.push(line) })
    const limits = await openLimits({ clock: systemClock, log, redisUrl })
    opened.push(limits)
    return limits
  }
  const openTwo = async (): Promise<[Limits, Limits]> => [await open(), await open()]
  const countTimes = async (limit: Limit, times: number): Promise<number> => {
    const verdicts = await Promise.all(Array.from({ length: times }, () => limit.count('alice')))
    return verdicts.filter(({ isWithin }) => isWithin).length
  }
  const until = async (limits: Limits, state: ReturnType<Limits['state']>): Promise<void> => {
    for (let i = 0; limits.state() !== state && i < 500; i++) await sleep(10)
    expect(limits.state()).toBe(state)
  }

  test('two processes together allow exactly the limit in a burst', async () => {
    const [here, there] = await openTwo()
    const [first, second] = [here.createLimit('tries', 20, 60_000), there.createLimit('tries', 20, 60_000)]
    const [passedHere, passedThere] = await Promise.all([countTimes(first, 30), countTimes(second, 30)])
    expect(passedHere + passedThere).toBe(20)
    expect((await first.look('alice')).isWithin).toBe(false)
    expect((await second.look('bob')).isWithin).toBe(true)
  })

  test("a count shared afterwards reaches the other process with that process's next count", async () => {
    const [here, there] = await openTwo()
    const [first, second] = [here, there].map(({ createLimit }) => createLimit('key', 10, 60_000, 'afterwards'))
    expect(await countTimes(first as Limit, 10)).toBe(10)
    await sleep(200)
    expect(await countTimes(second as Limit, 1)).toBe(1)
    await sleep(200)
    expect(await countTimes(second as Limit, 1)).toBe(0)
    expect(await (second as Limit).look('alice')).toMatchObject({ isWithin: false, remaining: 0 })
  })

  test('no name gets a new allowance when Redis dies, and a new Redis is used as soon as it replies', async () => {
    const [here, there] = await openTwo()
    const [first, second] = [here.createLimit('tries', 20, 60_000), there.createLimit('tries', 20, 60_000)]
    expect(await countTimes(first, 15)).toBe(15)
    expect(await countTimes(second, 1)).toBe(1)
    await redis.kill()
    await until(here, 'degraded')
    await until(there, 'degraded')
    expect(await countTimes(second, 20)).toBe(4)
    await redis.restart()
    await until(here, 'shared')
    await until(there, 'shared')
    const [again, elsewhere] = [here.createLimit('later', 20, 60_000), there.createLimit('later', 20, 60_000)]
    expect((await countTimes(again, 20)) + (await countTimes(elsewhere, 20))).toBe(20)
    await expect.poll(() => logged.join(''), { timeout: 10_000 }).toContain('Redis is back after')
    // Two processes.
    expect(logged.join('').match(/does not reply/g)).toHaveLength(2)
  })

  test('a frozen Redis delays only one count, by the time-out', async () => {
    const here = await open()
    const limit = here.createLimit('tries', 1_000, 60_000)
    await countTimes(limit, 1)
    redis.freeze()
    // Redis never replies, so the first counts end by the time-out.
    expect(await countTimes(limit, 100)).toBe(100)
    expect(here.state()).toBe('degraded')
    // Later counts end before the event loop could have waited for anything.
    expect(await Promise.race([countTimes(limit, 100), nextTurn('waited')])).toBe(100)
    redis.thaw()
    await until(here, 'shared')
  })

  test('without Redis at the start, each process counts for itself and reports a degraded state', async () => {
    await redis.kill()
    const here = await open()
    expect(here.state()).toBe('degraded')
    expect(await countTimes(here.createLimit('tries', 20, 60_000), 30)).toBe(20)
    await redis.restart()
    await until(here, 'shared')
  })

  test('a full Redis is treated as one that does not reply', async () => {
    const here = await open()
    redis.command('config', 'set', 'maxmemory', '1')
    await until(here, 'degraded')
    redis.command('config', 'set', 'maxmemory', '0')
    await until(here, 'shared')
  })

  test('Redis stores digests, never addresses or passwords', async () => {
    const here = await open()
    const name = `203.0.113.7 live ada@example.com ${'x'.repeat(500)}`
    const limit = here.createLimit('tries', 1_000, 60_000)
    let keys = ''
    // On a busy machine Redis may reply too late, and the count stays in the process.
    for (let i = 0; !keys.includes('tries') && i < 100; i++) {
      await limit.count(name)
      keys = redis.command('keys', '*')
      await sleep(10)
    }
    expect(keys).toMatch(/scrip:limit:tries:[\w-]{43}(\s|$)/)
    expect(keys).not.toMatch(/ada|203/)
    expect(logged.join('')).not.toContain('redis://')
  })
})
