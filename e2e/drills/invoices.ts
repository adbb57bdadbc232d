// Approves and rejects invoices concurrently, submits invoices while processes are killed, and kills the worker while it
// pays invoices automatically, over HTTP at two API processes.
//   npm run drill -- invoices [short]
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type HttpResponse,
  type ApiProcess,
  distribute,
  type Connection,
  withConnections,
} from '../../server/local/drill/api-process.ts'
import type { Pool } from '../../server/src/base/db.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { runParts } from '../run-parts.ts'
import { startTwoApis } from '../two-apis.ts'
import { sendOrThrow, type Merchant, openMerchant, server } from '../voucher-lifecycle/world.ts'

type World = {
  readonly pool: Pool
  /** The first runs a worker too. */
  readonly apis: [ApiProcess, ApiProcess]
  readonly open: (code: string) => Promise<Merchant>
}

const isShort = process.argv.includes('short')
const size = isShort
  ? { rounds: 5, submissions: 200, kills: 2, unfunded: 2 }
  : { rounds: 100, submissions: 2_000, kills: 10, unfunded: 10 }
const atOnce = 200
const clients = 50

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
let decided = 0
let vouchers = 0
let numbers = 0
let paid = 0
const expect = (holds: boolean, fault: string): void => {
  if (!holds) faults.push(fault)
}

await runParts(faults, stops, createWorld, [
  ['200 approvals and rejections at once', decideAtOnce],
  ['submissions under kills', submitUnderKills],
  ['automatic payment while the worker is killed', payAutomatically],
  ['ledger', async ({ pool }: World) => void faults.push(...(await verifyLedger(pool)))],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `invoices decided=${decided} vouchers=${vouchers} numbers=${numbers} kills=${2 * size.kills} paid=${paid} ` +
    `faults=${faults.length} seconds=${seconds}`,
)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const { pool, pepper, apis } = await startTwoApis(stops)
  const open = async (code: string): Promise<Merchant> => {
    const merchant = await openMerchant(pool, pepper, code)
    await pool.query(`insert into invoice_currencies values ($1, 'USD')`, [merchant.environmentId])
    return merchant
  }
  return { pool, apis, open }
}

/** Uses the secret key, because the public key allows only 60 submissions an hour from one address. */
function submission(merchant: Merchant, code: string, n: number): string {
  const about = { currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31', merchantCode: code }
  const items = [{ description: 'Work', quantity: 1, unitPrice: 5 }]
  const who = { email: `i${n}@example.com`, fullName: `Ivy ${n}` }
  return merchant.post(`${server}/create-invoice`, { ...about, ...who, invoiceItems: items })
}

async function newestOf(pool: Pool, { environmentId }: Merchant): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from invoices where environment_id = $1 order by id desc limit 1',
    [environmentId],
  )
  return rows[0]?.id ?? ''
}

async function decideAtOnce({ pool, apis, open }: World): Promise<void> {
  const merchant = await open('DECIDED')
  await withConnections(apis, atOnce, async (connections) => {
    await sendOrThrow(connections[0], merchant.post('/sandbox/fund', { amount: 5 * size.rounds, currency: 'USD' }))
    for (let round = 0; round < size.rounds; round++) {
      await sendOrThrow(connections[0], submission(merchant, 'DECIDED', round))
      const id = await newestOf(pool, merchant)
      const acts = connections.map((connection, i) =>
        connection.send(merchant.post(`${server}/${i % 2 === 0 ? 'approve' : 'reject'}-invoice`, { invoiceID: id })),
      )
      const statuses = (await Promise.all(acts)).map(({ status }) => status)
      const winners = statuses.flatMap((status, i) => (status === 200 ? [i] : []))
      const losers = statuses.filter((status) => status === 409).length
      expect(winners.length === 1 && losers === atOnce - 1, `round ${round}: ${winners.length} × 200, ${losers} × 409`)
      const { rows } = await pool.query<{ status: string; made: bigint }>(
        `select i.status, (select count(*) from vouchers v where v.environment_id = $1 and v.recipient = i.email) as made
          from invoices i where i.environment_id = $1 and i.id = $2`,
        [merchant.environmentId, id],
      )
      const isApproved = (winners[0] ?? 0) % 2 === 0
      const wanted = isApproved ? 'Approved 1' : 'Rejected 0'
      expect(`${rows[0]?.status} ${rows[0]?.made}` === wanted, `round ${round} is not ${wanted}`)
      decided++
      if (isApproved) vouchers++
    }
  })
}

/** Invoice numbers have no gap and no duplicate, even if a process is killed while it assigns one. */
async function submitUnderKills({ pool, apis, open }: World): Promise<void> {
  const merchant = await open('NUMBERED')
  let acknowledged = 0
  const killing = (async () => {
    for (let kill = 0; kill < size.kills; kill++)
      for (const api of apis) {
        await sleep(isShort ? 300 : 500)
        await api.crash()
      }
  })()
  await withConnections(apis, clients, (connections) =>
    distribute(connections, size.submissions, async (connection: Connection, n: number) => {
      // Not retried: without a response the invoice may or may not exist.
      const response = await connection
        .send(submission(merchant, 'NUMBERED', n))
        .catch(() => undefined as HttpResponse | undefined)
      if (response?.status === 200) acknowledged++
      else if (response === undefined) await sleep(20)
      else expect(response.status === 503, `a submission got ${response.status} ${response.body}`)
    }),
  )
  await killing
  const { rows } = await pool.query<{ number: string }>('select number from invoices where environment_id = $1', [
    merchant.environmentId,
  ])
  const taken = rows.map(({ number }) => Number(number.slice(5))).toSorted((a, b) => a - b)
  numbers = taken.length
  expect(
    taken.every((number, i) => number === i + 1),
    'invoice numbers have a gap or a duplicate',
  )
  expect(
    taken.length >= acknowledged && acknowledged > 0,
    `${acknowledged} submissions were acknowledged, ${taken.length} invoices exist`,
  )
}

/** Each invoice is approved without funds, then the merchant is funded. It is paid once, although the worker is killed at that moment. */
async function payAutomatically({ pool, apis, open }: World): Promise<void> {
  const merchant = await open('UNFUNDED')
  await pool.query('update merchant_environments set pays_invoices = true where id = $1', [merchant.environmentId])
  const [worker, api] = apis
  for (let round = 0; round < size.unfunded; round++) {
    await withConnections([api], 1, async ([connection]) => {
      await sendOrThrow(connection, submission(merchant, 'UNFUNDED', round))
      const invoiceID = await newestOf(pool, merchant)
      await sendOrThrow(connection, merchant.post(`${server}/approve-invoice`, { invoiceID }))
      await sendOrThrow(connection, merchant.post('/sandbox/fund', { amount: 5, currency: 'USD' }))
    })
    await worker.crash()
  }
  const counts = async () => {
    const { rows } = await pool.query<{ unpaid: bigint; made: bigint }>(
      `select (select count(*) from invoices where environment_id = $1 and paid_at is null) as unpaid,
        (select count(*) from vouchers where environment_id = $1) as made`,
      [merchant.environmentId],
    )
    return { unpaid: Number(rows[0]?.unpaid), made: Number(rows[0]?.made) }
  }
  for (let tries = 0; tries < 300 && (await counts()).unpaid > 0; tries++) await sleep(100)
  const { unpaid, made } = await counts()
  paid = size.unfunded - unpaid
  expect(
    unpaid === 0 && made === size.unfunded,
    `${unpaid} invoices are unpaid; ${size.unfunded} invoices have ${made} vouchers`,
  )
}
