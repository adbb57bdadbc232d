// Reads GET /events in a loop while transactions of different length commit, and compares with a reader that ignores the watermark.
//   npm run drill -- events [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { distribute, startApi } from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings, openShop } from '../../server/local/drill/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { publishEvents } from '../../server/src/ledger/outbox.ts'

const isShort = process.argv.includes('short')
const commits = isShort ? 5_000 : 100_000
const writers = 60

type Page = { data: { events: { type: string; data: { n: number } }[]; nextCursor: string } }
type Place = { txid: string; id: bigint }

const pepper = systemRandom(32)
const postgres = await startPostgres({ settings: { max_connections: '120', shared_buffers: '256MB' } })
const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const owner = createPool(ownerUrl, 4)
const pool = createPool(url, writers)
const shop = await openShop(owner, pepper, 'SHOP')
const api = await startApi(drillSettings(url, pepper))
const newId = createIds(systemClock, systemRandom)
const faults: string[] = []
const startMs = performance.now()
let isWriting = true
let published = 0

/** Most transactions are short. Some wait between event and commit, and some take their transaction ID long before. */
async function write(n: number): Promise<void> {
  await inTransaction(pool, async (tx) => {
    if (n % 5 === 0) {
      await tx.query('select pg_current_xact_id()')
      await sleep(Math.random() * 40)
    }
    const about = { id: newId(), sequence: 1 }
    await publishEvents(tx, [{ type: 'drill.event', environmentId: shop.environmentId, about, data: { n } }], {
      clock: systemClock,
      newId,
    })
    if (n % 3 === 0) await sleep(Math.random() * (n % 100 === 0 ? 400 : 10))
  })
  published++
}

/** Reads as a merchant does, until writing has ended and no more events arrive. */
async function readApi(): Promise<number[]> {
  const seen: number[] = []
  const headers = { authorization: `Bearer ${shop.publicKey}`, 'x-api-private-key': shop.secretKey }
  let cursor = ''
  for (let idle = 0; isWriting || idle < 20; ) {
    const reply = await fetch(`${api.baseUrl}/events${cursor === '' ? '' : `?cursor=${cursor}`}`, { headers })
    if (reply.status !== 200) {
      faults.push(`GET /events returned ${reply.status}`)
      break
    }
    const { data } = (await reply.json()) as Page
    seen.push(...data.events.filter(({ type }) => type === 'drill.event').map((event) => event.data.n))
    cursor = data.nextCursor
    idle = data.events.length === 0 ? idle + 1 : 0
    if (data.events.length === 0) await sleep(20)
  }
  return seen
}

/** Reads in the same order, but everything that is committed, without the watermark. */
async function readUnguarded(): Promise<number[]> {
  const seen: number[] = []
  let place: Place = { txid: '0', id: 0n }
  for (let idle = 0; isWriting || idle < 20; ) {
    const { rows } = await owner.query<Place & { n: number }>(
      `select txid::text as txid, id, (payload ->> 'n')::integer as n from ledger_outbox
        where environment_id = $1 and type = 'drill.event' and (txid, id) > ($2::text::xid8, $3) order by ledger_outbox.txid, id limit 100`,
      [shop.environmentId, place.txid, place.id],
    )
    seen.push(...rows.map(({ n }) => n))
    place = rows.at(-1) ?? place
    idle = rows.length === 0 ? idle + 1 : 0
    if (rows.length === 0) await sleep(20)
  }
  return seen
}

try {
  const reading = Promise.all([readApi(), readUnguarded()])
  await distribute(
    Array.from({ length: writers }, (_, i) => i),
    commits,
    (_, n) => write(n),
  )
  isWriting = false
  const [seen, unguarded] = await reading
  const missing = published - new Set(seen).size
  const doubled = seen.length - new Set(seen).size
  if (missing !== 0) faults.push(`${missing} events were never listed`)
  if (doubled !== 0) faults.push(`${doubled} events were listed twice`)
  const missedByControl = published - new Set(unguarded).size
  if (missedByControl === 0) faults.push('without the watermark nothing was missed: this run proves nothing')
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(
    `events commits=${published} missing=${missing} doubled=${doubled} missed_by_control=${missedByControl} seconds=${seconds}`,
  )
} finally {
  await api.stop()
  await pool.end()
  await owner.end()
  await postgres.stop()
}
process.exit(faults.length === 0 ? 0 : 1)
