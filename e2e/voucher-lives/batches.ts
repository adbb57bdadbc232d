// The parts of the drill of voucher lives that kill the worker under a batch and under an import.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, type Lines, withLines } from '../../server/local/api-process.ts'
import { checkBatch, countPayments, redeemSome } from './batch-books.ts'
import {
  ask,
  askOrThrow,
  type Data,
  fund,
  readBalance,
  type Reply,
  type Report,
  server,
  toMajor,
  type World,
} from './world.ts'
import { stealClaim, untilAwake, untilClaimed, type WorkerProcess } from './worker-process.ts'

const secondsMax = 30
const readyTimeoutMs = 60_000
// Parts of the whole, none of which is the end of a thousand: a worker makes so many in one piece.
const shortBlows: readonly Blow[] = [
  { part: 0.2, on: 'claim' },
  { part: 0.55, on: 'busy' },
]
const fullBlows: readonly Blow[] = [
  { part: 0.12, on: 'claim' },
  { part: 0.27, on: 'busy' },
  { part: 0.52, on: 'all' },
  { part: 0.77, on: 'busy' },
]

/** A batch of many vouchers, whose workers are killed on the way. */
export async function issueAcrossKills(world: World): Promise<void> {
  const { pool, a, report, isShort } = world
  const size = isShort ? 2_000 : 10_000
  const blows = isShort ? shortBlows : fullBlows
  const reference = 'killed-batch'
  const request = a.post(`${server}/voucher-batches`, { size, amount: 5, currency: 'USD', referenceId: reference })
  await withLines([world.api], 6, async (lines) => {
    await fund(lines[0], a, 1_000_000)
    const before = await readBalance(pool, a.environmentId, 'merchant')
    await wakeWorkers(world)
    const startMs = performance.now()
    const id = await askTogether(world, lines, request, ({ id: made }) => made)
    report.kills = await makeAcrossKills(world, lines[0], { id, size, blows }, () => ask(lines[0], request))
    report.batchSeconds = (performance.now() - startMs) / 1_000
    report.expect(report.batchSeconds < secondsMax, `the batch took ${report.batchSeconds.toFixed(1)} s`)

    await askTogether(world, lines, request, ({ id: made }) => made, id)
    const other = a.post(`${server}/voucher-batches`, { size, amount: 6, currency: 'USD', referenceId: reference })
    const changed = await ask(lines[0], other)
    report.expect(changed.error === 'REFERENCE_TAKEN', `another batch under its reference was ${changed.status}`)
    report.funded = await countPayments(world)
    report.expect(report.funded === 1, `the batch was paid for ${report.funded} times`)
    const made = { id, size, reference, codeOf: () => undefined, amountOf: () => 5_00n, pinOf: () => undefined }
    report.issued = await checkBatch(world, made, before)
    await redeemSome(world, lines[0], made)
  })
}

/** A file of another system's gift cards, of as many rows, whose worker is killed once. */
export async function importAcrossKill(world: World): Promise<void> {
  const { pool, a, report, isShort } = world
  const size = isShort ? 2_000 : 10_000
  const reference = 'killed-import'
  // Every other one is as long as a code of ours.
  const codeOf = (number: number): string => `CARD-2019-${String(number).padStart(number % 2 === 0 ? 6 : 8, '0')}`
  const amountOf = (number: number): bigint => 1_00n + BigInt((number * 7919) % 900)
  const pinOf = (number: number): string | undefined =>
    number % 7 === 0 ? String(number % 10_000).padStart(4, '0') : undefined
  const rows = Array.from({ length: size }, (_, i) => [codeOf(i + 1), toMajor(amountOf(i + 1)), pinOf(i + 1)].join())
  const file = { csv: ['code,balance,pin', ...rows].join('\n'), currency: 'USD' }
  const path = `${server}/voucher-imports`
  await withLines([world.api], 3, async (lines) => {
    const before = await readBalance(pool, a.environmentId, 'merchant')
    const payments = await countPayments(world)
    const { trial } = await askOrThrow(lines[0], a.post(path, file))
    const isGood = trial?.size === size && trial.faults.length === 0 && trial.confirmation !== ''
    report.expect(isGood, `the trial found ${JSON.stringify(trial?.faults[0])}`)
    report.expect((await readBalance(pool, a.environmentId, 'merchant')) === before, 'a trial was paid for')

    await wakeWorkers(world)
    const confirmed = { ...file, confirmation: trial?.confirmation, referenceId: reference }
    const request = a.post(path, confirmed)
    const id = await askTogether(world, lines, request, ({ batch }) => batch?.id ?? '')
    await makeAcrossKills(world, lines[0], { id, size, blows: [{ part: 0.55, on: 'busy' }] }, () =>
      ask(lines[0], request),
    )
    await askTogether(world, lines, request, ({ batch }) => batch?.id ?? '', id)
    const again = await ask(lines[0], a.post(path, { ...confirmed, referenceId: 'again' }))
    report.expect(again.error === 'IMPORT_ROWS_BAD', `the same file under another reference was ${again.status}`)
    const paid = (await countPayments(world)) - payments
    report.expect(paid === 1, `the import was paid for ${paid} times`)
    const made = { id, size, reference, codeOf, amountOf, pinOf }
    await checkBatch(world, made, before)
    await redeemSome(world, lines[0], made)
  })
}

/** The same request on all lines at once, which all have to be told of the same batch. */
async function askTogether(
  { report }: World,
  lines: Lines,
  request: string,
  idOf: (data: Data) => string,
  known?: string,
): Promise<string> {
  const ids = (await Promise.all(lines.map((line) => askOrThrow(line, request)))).map(idOf)
  const id = known ?? ids[0] ?? ''
  const others = ids.filter((one) => one !== id)
  report.expect(others.length === 0, `one request was told of ${id} and of ${others[0]}`)
  return id
}

/** What goes wrong when so much of the whole is there: the worker that works is killed, or all are, or it loses its claim. */
type Blow = { readonly part: number; readonly on: 'busy' | 'all' | 'claim' }
type Beaten = { readonly id: string; readonly size: number; readonly blows: readonly Blow[] }

/** Two of them, of which one works and the other waits for its turn. */
async function wakeWorkers({ admin, workers, startWorker }: World): Promise<void> {
  while (workers.length < 2) workers.push(startWorker())
  await Promise.all(workers.map((worker) => untilAwake(admin, worker)))
}

/** After the last batch. */
export async function stopWorkers({ workers, report }: World): Promise<void> {
  for (const worker of workers.splice(0)) {
    await worker.stop()
    heed(report, worker)
  }
}

/** Who has lost a claim says so when it wants to finish its piece. Nobody else has anything to say. */
function heed(report: Report, { said, hasLostClaim }: WorkerProcess): void {
  report.expect(said() === '' || hasLostClaim, `a worker complained: ${said().slice(0, 2_000)}`)
}

/** Lets workers make a batch, and strikes on the way. Says how often it killed. */
async function makeAcrossKills(
  world: World,
  line: Line,
  { id, size, blows }: Beaten,
  repeat: () => Promise<Reply>,
): Promise<number> {
  const { a, report, workers, startWorker } = world
  const startMs = performance.now()
  const look = (): Promise<Data> => askOrThrow(line, a.get(`${server}/voucher-batches/${id}`))
  for (const { part, on } of blows) {
    await until(world, look, ({ issued }) => issued >= part * size)
    const isStruck = await strike(world, on, async () => (await look()).status === 'ready')
    const { status, issued } = await look()
    console.log(`  struck ${on} at ${issued} of ${size} after ${secondsSince(startMs)} s`)
    report.expect(isStruck && status === 'issuing', 'a blow came after the end, so it proves nothing')
    while (workers.length < 2) workers.push(startWorker())
    const { status: told, data } = await repeat()
    const same = data.batch?.id ?? data.id
    report.expect(told === 200 && same === id, `a repeat during the work was told ${told} ${same}`)
  }
  const { refused } = await until(world, look, ({ status }) => status === 'ready')
  console.log(`  ready after ${secondsSince(startMs)} s`)
  report.expect(refused.length === 0, `${refused.length} rows were refused`)
  return blows.filter(({ on }) => on !== 'claim').length
}

/** Takes those that it kills out of the workers. Says whether anybody was at work. */
async function strike(
  { admin, workers, report }: World,
  on: Blow['on'],
  isOver: () => Promise<boolean>,
): Promise<boolean> {
  const claim = await untilClaimed(admin, isOver)
  if (claim === undefined) return false
  const busy = workers.find(({ name }) => name === claim.name)
  if (on === 'claim' && busy !== undefined) {
    await stealClaim(admin, claim, busy, isOver)
    return true
  }
  const doomed = workers.filter((worker) => on === 'all' || worker === busy)
  await Promise.all(doomed.map((worker) => worker.kill()))
  for (const worker of doomed) {
    workers.splice(workers.indexOf(worker), 1)
    heed(report, worker)
  }
  return doomed.length > 0
}

/** What stands still is looked at as it is, to see what is wrong with it. */
async function until({ report }: World, look: () => Promise<Data>, holds: (data: Data) => boolean): Promise<Data> {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    const data = await look()
    const isLate = Date.now() > deadline
    report.expect(!isLate, `a batch stands still at ${data.issued}`)
    if (holds(data) || isLate) return data
    await sleep(50)
  }
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1)
}
