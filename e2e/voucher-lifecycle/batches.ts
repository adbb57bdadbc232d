// The parts of the voucher-lifecycle drill that kill workers during a batch and during an import.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type Connections, withConnections } from '../../server/local/drill/api-process.ts'
import { checkBatch, countPayments, redeemSome } from './batch-books.ts'
import {
  send,
  sendOrThrow,
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
// A worker issues 1,000 vouchers at a time, and none of these fractions is a multiple of that.
const shortDisruptions: readonly Disruption[] = [
  { part: 0.2, on: 'claim' },
  { part: 0.55, on: 'busy' },
]
const fullDisruptions: readonly Disruption[] = [
  { part: 0.12, on: 'claim' },
  { part: 0.27, on: 'busy' },
  { part: 0.52, on: 'all' },
  { part: 0.77, on: 'busy' },
]

/** Issues a large batch while its workers are killed. */
export async function issueAcrossKills(world: World): Promise<void> {
  const { pool, a, report, isShort } = world
  const size = isShort ? 2_000 : 10_000
  const disruptions = isShort ? shortDisruptions : fullDisruptions
  const reference = 'killed-batch'
  const request = a.post(`${server}/voucher-batches`, { size, amount: 5, currency: 'USD', referenceId: reference })
  await withConnections([world.api], 6, async (connections) => {
    await fund(connections[0], a, 1_000_000)
    const before = await readBalance(pool, a.environmentId, 'merchant')
    await wakeWorkers(world)
    const startMs = performance.now()
    const id = await sendTogether(world, connections, request, ({ id: made }) => made)
    report.kills = await makeAcrossKills(world, connections[0], { id, size, disruptions }, () =>
      send(connections[0], request),
    )
    report.batchSeconds = (performance.now() - startMs) / 1_000
    report.expect(report.batchSeconds < secondsMax, `the batch took ${report.batchSeconds.toFixed(1)} s`)

    await sendTogether(world, connections, request, ({ id: made }) => made, id)
    const other = a.post(`${server}/voucher-batches`, { size, amount: 6, currency: 'USD', referenceId: reference })
    const changed = await send(connections[0], other)
    report.expect(changed.error === 'REFERENCE_TAKEN', `another batch with the same reference got ${changed.status}`)
    report.funded = await countPayments(world)
    report.expect(report.funded === 1, `the batch was paid for ${report.funded} times`)
    const made = { id, size, reference, codeOf: () => undefined, amountOf: () => 5_00n, pinOf: () => undefined }
    report.issued = await checkBatch(world, made, before)
    await redeemSome(world, connections[0], made)
  })
}

/** Imports a file of another system's gift cards, while its worker is killed once. */
export async function importAcrossKill(world: World): Promise<void> {
  const { pool, a, report, isShort } = world
  const size = isShort ? 2_000 : 10_000
  const reference = 'killed-import'
  // Every other one is as long as one of our codes.
  const codeOf = (number: number): string => `CARD-2019-${String(number).padStart(number % 2 === 0 ? 6 : 8, '0')}`
  const amountOf = (number: number): bigint => 1_00n + BigInt((number * 7919) % 900)
  const pinOf = (number: number): string | undefined =>
    number % 7 === 0 ? String(number % 10_000).padStart(4, '0') : undefined
  const rows = Array.from({ length: size }, (_, i) => [codeOf(i + 1), toMajor(amountOf(i + 1)), pinOf(i + 1)].join())
  const file = { csv: ['code,balance,pin', ...rows].join('\n'), currency: 'USD' }
  const path = `${server}/voucher-imports`
  await withConnections([world.api], 3, async (connections) => {
    const before = await readBalance(pool, a.environmentId, 'merchant')
    const payments = await countPayments(world)
    const { trial } = await sendOrThrow(connections[0], a.post(path, file))
    const isGood = trial?.size === size && trial.faults.length === 0 && trial.confirmation !== ''
    report.expect(isGood, `the check of the file found ${JSON.stringify(trial?.faults[0])}`)
    report.expect((await readBalance(pool, a.environmentId, 'merchant')) === before, 'checking a file cost money')

    await wakeWorkers(world)
    const confirmed = { ...file, confirmation: trial?.confirmation, referenceId: reference }
    const request = a.post(path, confirmed)
    const id = await sendTogether(world, connections, request, ({ batch }) => batch?.id ?? '')
    await makeAcrossKills(world, connections[0], { id, size, disruptions: [{ part: 0.55, on: 'busy' }] }, () =>
      send(connections[0], request),
    )
    await sendTogether(world, connections, request, ({ batch }) => batch?.id ?? '', id)
    const again = await send(connections[0], a.post(path, { ...confirmed, referenceId: 'again' }))
    report.expect(again.error === 'IMPORT_ROWS_BAD', `the same file under another reference got ${again.status}`)
    const paid = (await countPayments(world)) - payments
    report.expect(paid === 1, `the import was paid for ${paid} times`)
    const made = { id, size, reference, codeOf, amountOf, pinOf }
    await checkBatch(world, made, before)
    await redeemSome(world, connections[0], made)
  })
}

/** Sends the same request on all connections at once. All responses must name the same batch. */
async function sendTogether(
  { report }: World,
  connections: Connections,
  request: string,
  idOf: (data: Data) => string,
  known?: string,
): Promise<string> {
  const ids = (await Promise.all(connections.map((connection) => sendOrThrow(connection, request)))).map(idOf)
  const id = known ?? ids[0] ?? ''
  const others = ids.filter((one) => one !== id)
  report.expect(others.length === 0, `the same request returned batch ${id} and batch ${others[0]}`)
  return id
}

/** What goes wrong when a part of the batch is done: the busy worker is killed, or all are, or it loses its claim. */
type Disruption = { readonly part: number; readonly on: 'busy' | 'all' | 'claim' }
type DisruptedBatch = { readonly id: string; readonly size: number; readonly disruptions: readonly Disruption[] }

/** Starts two workers, of which one works and the other waits. */
async function wakeWorkers({ admin, workers, startWorker }: World): Promise<void> {
  while (workers.length < 2) workers.push(startWorker())
  await Promise.all(workers.map((worker) => untilAwake(admin, worker)))
}

/** Stops the workers after the last batch. */
export async function stopWorkers({ workers, report }: World): Promise<void> {
  for (const worker of workers.splice(0)) {
    await worker.stop()
    checkLog(report, worker)
  }
}

/** A worker that lost its claim logs an error when it finishes its part. Other workers must log nothing. */
function checkLog(report: Report, { logs, hasLostClaim }: WorkerProcess): void {
  report.expect(logs() === '' || hasLostClaim, `a worker logged errors: ${logs().slice(0, 2_000)}`)
}

/** Lets workers issue a batch while they are disrupted. Returns the number of kills. */
async function makeAcrossKills(
  world: World,
  connection: Connection,
  { id, size, disruptions }: DisruptedBatch,
  retry: () => Promise<Reply>,
): Promise<number> {
  const { a, report, workers, startWorker } = world
  const startMs = performance.now()
  const look = (): Promise<Data> => sendOrThrow(connection, a.get(`${server}/voucher-batches/${id}`))
  for (const { part, on } of disruptions) {
    await until(world, look, ({ issued }) => issued >= part * size)
    const isDisrupted = await disrupt(world, on, async () => (await look()).status === 'ready')
    const { status, issued } = await look()
    console.log(`  disrupted (${on}) at ${issued} of ${size} after ${secondsSince(startMs)} s`)
    report.expect(isDisrupted && status === 'issuing', 'a disruption came after the end, so it proves nothing')
    while (workers.length < 2) workers.push(startWorker())
    const { status: retryStatus, data } = await retry()
    const same = data.batch?.id ?? data.id
    report.expect(retryStatus === 200 && same === id, `a retry during the work got ${retryStatus} ${same}`)
  }
  const { refused } = await until(world, look, ({ status }) => status === 'ready')
  console.log(`  ready after ${secondsSince(startMs)} s`)
  report.expect(refused.length === 0, `${refused.length} rows were refused`)
  return disruptions.filter(({ on }) => on !== 'claim').length
}

/** Kills workers, or takes the claim of one. Returns whether a worker was busy. */
async function disrupt(
  { admin, workers, report }: World,
  on: Disruption['on'],
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
    checkLog(report, worker)
  }
  return doomed.length > 0
}

/** Waits for a state of the batch. After the timeout it returns the batch as it is, so that the checks show what is wrong. */
async function until({ report }: World, look: () => Promise<Data>, holds: (data: Data) => boolean): Promise<Data> {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    const data = await look()
    const isLate = Date.now() > deadline
    report.expect(!isLate, `a batch does not progress beyond ${data.issued}`)
    if (holds(data) || isLate) return data
    await sleep(50)
  }
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(1)
}
