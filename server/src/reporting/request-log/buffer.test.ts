import { expect, test } from 'vitest'
import { DatabaseError } from 'pg'
import { createLog } from '../../base/log.ts'
import { type BufferLimits, createRequestLog } from './buffer.ts'
import type { Entry, Recorded } from './entry.ts'

const log = createLog('silent')
const recorded = (number: number, bytes = 10): Recorded => ({
  ...{ id: String(number), environmentId: '', keyId: '', method: 'GET', route: '/', status: 200, durationMs: 1 },
  ...{ address: '', at: new Date(0), reference: undefined, params: {}, body: undefined, sent: '', bytes },
})

/** A log whose database answers as the test says. */
function createWorld(limits: Partial<BufferLimits> = {}) {
  const written: string[] = []
  let answer = (): Promise<void> => Promise.resolve()
  const write = async (entries: readonly Entry[]): Promise<void> => {
    await answer()
    written.push(...entries.map(({ id }) => id))
  }
  const requestLog = createRequestLog({ write, log }, { everyMs: 3_600_000, ...limits })
  return { requestLog, written, answerWith: (next: typeof answer) => (answer = next) }
}
const pushMany = (
  { requestLog }: ReturnType<typeof createWorld>,
  from: number,
  below: number,
  bytes?: number,
): void => {
  for (let i = from; i < below; i++) requestLog.push(recorded(i, bytes))
}

test('requests are written in order, in batches, by themselves', async () => {
  const world = createWorld({ everyMs: 5 })
  pushMany(world, 0, 600)
  await expect.poll(() => world.written.length).toBe(600)
  expect(world.written).toEqual(Array.from({ length: 600 }, (_, i) => String(i)))
  expect(world.requestLog.dropped()).toBe(0)
})

test('while the database does not answer, the oldest requests are dropped and counted, and none of the newest', async () => {
  const world = createWorld({ entriesMax: 1_000 })
  let release = (): void => undefined
  world.answerWith(() => new Promise((resolve) => (release = resolve)))
  pushMany(world, 0, 100)
  const flushing = world.requestLog.flush()
  pushMany(world, 100, 10_000)
  world.answerWith(() => Promise.resolve())
  // The first batch is in the database's hands.
  await new Promise((resolve) => setTimeout(resolve, 20))
  release()
  await flushing
  expect(world.written.length + world.requestLog.dropped()).toBe(10_000)
  expect(world.written.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, i) => String(i)))
  expect(world.written.slice(-700)).toEqual(Array.from({ length: 700 }, (_, i) => String(i + 9_300)))
  expect(world.written.length).toBeLessThanOrEqual(1_100)
})

test('bodies of waiting requests take bounded memory', async () => {
  const world = createWorld({ bytesMax: 100_000 })
  pushMany(world, 0, 100, 10_000)
  await world.requestLog.flush()
  expect(world.written.length).toBeLessThanOrEqual(10)
  expect(world.written.at(-1)).toBe('99')
  expect(world.written.length + world.requestLog.dropped()).toBe(100)
})

const refusal = (code: string): DatabaseError =>
  Object.assign(new DatabaseError('refused', 0, 'error'), { severity: 'ERROR', code })

test.each([
  ['the database was away', new Error('Connection terminated')],
  ['it waited too long for a lock', refusal('55P03')],
  ['the disk was full', refusal('53100')],
])('a batch that failed because %s is written later, once', async (_, error) => {
  const world = createWorld()
  world.answerWith(() => Promise.reject(error))
  pushMany(world, 0, 300)
  await world.requestLog.flush()
  expect(world.written).toEqual([])
  world.answerWith(() => Promise.resolve())
  await world.requestLog.flush()
  expect(world.written).toEqual(Array.from({ length: 300 }, (_, i) => String(i)))
  expect(world.requestLog.dropped()).toBe(0)
})

test('a batch whose values PostgreSQL refuses is dropped and counted, and does not stop the next one', async () => {
  const world = createWorld()
  world.answerWith(() => {
    world.answerWith(() => Promise.resolve())
    return Promise.reject(refusal('22021'))
  })
  pushMany(world, 0, 10)
  await world.requestLog.flush()
  pushMany(world, 10, 20)
  await world.requestLog.flush()
  expect(world.written).toEqual(Array.from({ length: 10 }, (_, i) => String(i + 10)))
  expect(world.requestLog.dropped()).toBe(10)
})

test('closing writes what is waiting, and gives up on a database that does not answer', async () => {
  const world = createWorld()
  pushMany(world, 0, 10)
  await world.requestLog.close()
  expect(world.written).toHaveLength(10)
  const stuck = createWorld({ closeMs: 50 })
  stuck.answerWith(() => new Promise(() => undefined))
  pushMany(stuck, 0, 300)
  const startMs = performance.now()
  await stuck.requestLog.close()
  expect(performance.now() - startMs).toBeLessThan(2_000)
  expect(stuck.requestLog.dropped()).toBe(50)
})
