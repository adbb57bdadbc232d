// Looks up addresses and reads a network as a worker does, in a process of its own, so that its memory can be measured.
import { randomBytes } from 'node:crypto'
import { systemClock as clock } from '../server/src/base/clock.ts'
import { createPool } from '../server/src/base/db.ts'
import { createIds } from '../server/src/base/id.ts'
import { createLog } from '../server/src/base/log.ts'
import { createLeases } from '../server/src/base/lease.ts'
import { systemRandom } from '../server/src/base/random.ts'
import { startJobs } from '../server/src/base/jobs.ts'
import { createRpc } from '../server/src/chain/rpc.ts'
import { findOurs, listChains } from '../server/src/chain/store.ts'
import { createWatch } from '../server/src/chain/watch.ts'

/** The time of each look-up, and how much the process has grown since before the first. */
export type Measured = { readonly timesMs: number[]; readonly grownBytes: number }

const [url = '', nodeUrl = '', recipients = '', oursAmong = ''] = process.argv.slice(2)
const rounds = 1_000
const pool = createPool(url)
const log = createLog('error')
const tools = { pool, clock, log, newId: createIds(clock, systemRandom), leases: createLeases(url) }
const networkId = (await listChains(pool))[0]?.id ?? ''
const { rows } = await pool.query<{ address: string }>(
  'select address from chain_addresses order by random() limit 5000',
)

const timesMs: number[] = []
const startBytes = process.memoryUsage().rss
for (let round = 0; round < rounds; round++) {
  const block = Array.from({ length: Number(recipients) }, (_, i) =>
    i < Number(oursAmong)
      ? (rows[(round * Number(oursAmong) + i) % rows.length]?.address ?? '')
      : `0x${randomBytes(20).toString('hex')}`,
  )
  const startMs = performance.now()
  const found = await findOurs(pool, networkId, block)
  timesMs.push(performance.now() - startMs)
  if (found.length !== Number(oursAmong)) throw new Error(`found ${found.length} of ${oursAmong}`)
}
const run = createWatch(tools, 'LOCAL', createRpc([nodeUrl], clock))
startJobs([{ name: 'blocks', everyMs: 500, run }], log)
process.on('message', () => {
  process.send?.({ timesMs, grownBytes: process.memoryUsage().rss - startBytes } satisfies Measured)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
