// Pays a file of payouts with bad and doubled rows while its workers are killed, and compares the ledger with the file: each good
// row is paid once, each bad one is explained.
//   npm run drill -- payouts [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { atDatabase, cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { comparePayments } from '../payouts/books.ts'
import { addUsers, createFile } from '../payouts/file.ts'
import { createClient, type World } from '../payouts/world.ts'
import { runParts } from '../run-parts.ts'
import { startWorker, untilAwake } from '../voucher-lifecycle/worker-process.ts'
import { openMerchant } from '../voucher-lifecycle/world.ts'

const isShort = process.argv.includes('short')
const size = isShort ? 1_000 : 5_000
/** Parts of the file after which the workers are killed. */
const kills = isShort ? [0.5] : [0.1, 0.3, 0.5, 0.7, 0.85]
const timeoutMs = 120_000
const reference = 'killed-payouts'
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const result = { rows: size, paid: 0, explained: 0, doubled: 0, lost: 0 }

await runParts(faults, stops, createWorld, [['a file while its workers are killed', payAcrossKills]])

const { rows, paid, explained, doubled, lost } = result
console.log(`payouts rows=${rows} paid=${paid} explained=${explained} doubled=${doubled} lost=${lost}`)
process.exit(faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  // Workers are killed and PostgreSQL is not.
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB', fsync: 'off' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl)
  const admin = createPool(atDatabase(postgres.adminUrl, new URL(url).pathname.slice(1)), 1)
  stops.push(
    () => pool.end(),
    () => admin.end(),
  )
  const pepper = systemRandom(32)
  const settings = drillSettings(url, pepper)
  const shop = await openMerchant(pool, pepper, 'PAYER')
  const api = await startApi(settings)
  stops.push(api.stop)
  return { pool, admin, shop, api, settings }
}

async function payAcrossKills(world: World): Promise<void> {
  const { pool, api, shop } = world
  const file = createFile(await addUsers(pool, 40), size)
  await withConnections([api], 4, async (connections) => {
    const { fund, check, submit, look } = createClient(shop, connections)
    await fund(1_000_000)
    const checked = await check(file.csv)
    expect(checked.faults.length === file.bad, `the check explained ${checked.faults.length} rows and not ${file.bad}`)
    expect(checked.accepted === file.good.length, `the check accepted ${checked.accepted} rows`)
    const id = await submit(file.csv, checked.confirmation, reference)
    await payAndKill(world, () => look(id))
    const again = await submit(file.csv, checked.confirmation, reference)
    expect(again === id, `a retry after the end made the batch ${again}`)
    const ended = await look(id)
    expect(ended.status === 'done', `the file is ${ended.status}`)
    Object.assign(result, await comparePayments(pool, id, file))
    expect(result.paid === file.good.length, `${result.paid} of ${file.good.length} good rows were paid`)
    expect(result.paid === ended.paid, `the file counts ${ended.paid} paid rows`)
    expect(result.explained === file.bad, `${result.explained} of ${file.bad} bad rows are explained`)
    expect(result.doubled === 0 && result.lost === 0, `${result.doubled} doubled, ${result.lost} lost`)
  })
  faults.push(...(await verifyLedger(pool)))
}

/** Lets two workers pay the rows and kills both at each part. The next ones continue. */
async function payAndKill(
  { admin, settings }: World,
  look: () => Promise<{ readonly status: string; readonly paid: number }>,
): Promise<void> {
  for (const part of [...kills, 1]) {
    const workers = [startWorker(settings), startWorker(settings)]
    try {
      await Promise.all(workers.map((worker) => untilAwake(admin, worker)))
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const { status, paid: now } = await look()
        if (status === 'done' || (part < 1 && now >= part * size)) {
          expect(part === 1 || status === 'paying', 'a kill came after the end, so it proves nothing')
          console.log(`  killed at ${now} paid rows, ${status}`)
          break
        }
        if (Date.now() > deadline) throw new Error(`The file does not progress beyond ${now} rows.`)
        await sleep(20)
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()))
    }
    for (const { logs } of workers) expect(logs() === '', `a worker logged errors: ${logs().slice(0, 2_000)}`)
  }
}

function expect(holds: boolean, fault: string): void {
  if (!holds) faults.push(fault)
}
