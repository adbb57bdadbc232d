import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLog, type Log } from './log.ts'
import { database, noteFailure, noteSuccess } from './outage.ts'

type Line = { readonly level: number; readonly msg: string; readonly failures?: number }

function recordLog(): { log: Log; lines: () => Line[] } {
  const written: string[] = []
  const log = createLog('info', { write: (line: string) => void written.push(line) })
  return { log, lines: () => written.map((line) => JSON.parse(line) as Line) }
}

const printer = { name: 'The printer', failing: 'The printer does not respond.' }
const quietMs = 3_050
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })

test('an outage is two lines: its cause, and how often it failed until it was over', async () => {
  const { log, lines } = recordLog()
  noteSuccess(log, printer)
  for (let i = 0; i < 5; i++) noteFailure(log, printer, new Error(`no paper ${i}`), { tray: 2 })
  expect(lines()).toMatchObject([{ level: 40, msg: printer.failing, tray: 2, err: { message: 'no paper 0' } }])
  await sleep(quietMs)
  noteSuccess(log, printer)
  noteSuccess(log, printer)
  expect(lines().slice(1)).toMatchObject([{ level: 40, tray: 2, failures: 5 }])
  expect(lines()[1]?.msg).toMatch(/^The printer is back after \d s, 5 failures\.$/)
})

test('what works now and then is one outage', async () => {
  const { log, lines } = recordLog()
  const untilMs = performance.now() + quietMs
  while (performance.now() < untilMs) {
    noteFailure(log, printer, new Error('no paper'))
    noteSuccess(log, printer)
    await sleep(100)
  }
  expect(lines()).toHaveLength(1)
})

test('what fails because the database is away is part of the outage of the database', () => {
  const { log, lines } = recordLog()
  noteFailure(log, printer, new AggregateError([refused(), new Error('Nothing was posted.', { cause: refused() })]))
  noteFailure(log, database, refused())
  noteFailure(log, { ...printer, name: 'Another' }, new Error('Query read timeout'))
  expect(lines().map(({ msg }) => msg)).toEqual([database.failing])
})

test('a slow statement is a failure of its own while the database responds, and so is an item among others', () => {
  const { log, lines } = recordLog()
  noteFailure(log, printer, new Error('Query read timeout'))
  noteFailure(log, { ...printer, name: 'Another' }, new AggregateError([refused(), new Error('A bug.')]))
  expect(lines().map(({ msg }) => msg)).toEqual([printer.failing, printer.failing])
})

test('what another failure caused is not logged again', () => {
  const { log, lines } = recordLog()
  const cause = new Error('no paper')
  noteFailure(log, printer, cause)
  noteFailure(log, { name: 'The job', failing: 'job failed' }, new Error('The job failed.', { cause }))
  expect(lines()).toHaveLength(1)
})
