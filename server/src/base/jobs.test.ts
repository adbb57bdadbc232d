import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createRest, startJobs } from './jobs.ts'

test('a job reruns at once while it finds work, pauses otherwise, survives a failure, and stop waits for it', async () => {
  let runs = 0
  let isUnderWay = false
  const run = async (): Promise<boolean> => {
    runs++
    isUnderWay = true
    await sleep(5)
    isUnderWay = false
    if (runs === 2) throw new Error('The database was away.')
    return runs < 5
  }
  const logged: string[] = []
  const log = createLog('error', { write: (line: string) => void logged.push(line) })
  const startMs = performance.now()
  const runner = startJobs([{ name: 'test', everyMs: 30, run }], log)
  while (runs < 9) await sleep(5)
  // It pauses after the failure and after the fifth run and each later one, and not in between.
  expect(performance.now() - startMs).toBeGreaterThan(5 * 29)
  expect(logged).toHaveLength(1)
  await runner.stop()
  expect(isUnderWay).toBe(false)
  const after = runs
  await sleep(60)
  expect(runs).toBe(after)
})

test('a failed item backs off for a second, then longer each time, until it succeeds', () => {
  let nowMs = 0
  const rest = createRest(() => new Date(nowMs))
  const restsFor = (): number => {
    rest.add('a')
    const startMs = nowMs
    while (rest.ids().length > 0) nowMs += 100
    return nowMs - startMs
  }
  expect([restsFor(), restsFor(), restsFor()]).toEqual([1_000, 2_000, 4_000])
  for (let i = 0; i < 10; i++) restsFor()
  expect(restsFor()).toBe(60_000)
  rest.end('a')
  expect(restsFor()).toBe(1_000)
})
