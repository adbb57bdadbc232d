import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createRest, startSweeps } from './sweep.ts'

test('a sweep goes on at once while it finds something, rests when it does not, survives a failure, and is waited for', async () => {
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
  const sweeps = startSweeps([{ name: 'test', everyMs: 30, run }], log)
  await sleep(200)
  expect(runs).toBeGreaterThan(5)
  expect(runs).toBeLessThan(15)
  expect(logged).toHaveLength(1)
  await sweeps.stop()
  expect(isUnderWay).toBe(false)
  const after = runs
  await sleep(60)
  expect(runs).toBe(after)
})

test('what failed rests for a second, then longer each time, and is forgotten when it works', () => {
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
