import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createRest, startJobs } from './jobs.ts'

/** Starts a job that pauses for so long that a test never sees the end of a pause. */
function startOnce(run: () => Promise<boolean>) {
  const logged: string[] = []
  const log = createLog('error', { write: (line: string) => void logged.push(line) })
  return { logged, ...startJobs([{ name: 'test', everyMs: 600_000, run }], log) }
}

test('a job reruns at once while it finds work, and pauses otherwise', async () => {
  let runs = 0
  const runner = startOnce(async () => {
    await nextTurn()
    return ++runs < 5
  })
  while (runs < 5) await nextTurn()
  await sleep(20)
  expect(runs).toBe(5)
  await runner.stop()
})

test('a job pauses after a failure, which is logged', async () => {
  let runs = 0
  const runner = startOnce(async () => {
    await nextTurn()
    runs++
    throw new Error('The database was away.')
  })
  while (runs < 1) await nextTurn()
  await sleep(20)
  expect([runs, runner.logged.length]).toEqual([1, 1])
  await runner.stop()
})

test('a job survives failures, and stop waits for the current run', async () => {
  let runs = 0
  let isUnderWay = false
  const run = async (): Promise<boolean> => {
    runs++
    isUnderWay = true
    await sleep(5)
    isUnderWay = false
    if (runs === 2) throw new Error('The database was away.')
    return false
  }
  const runner = startJobs([{ name: 'test', everyMs: 5, run }], createLog('silent'))
  while (runs < 5) await sleep(1)
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
