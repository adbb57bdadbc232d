// Captures, releases, extends and abandons holds of vouchers that are redeemed, replaced and expire at the same time, at
// two API processes and a worker that are killed meanwhile. Then compares the database with
// the responses that the clients got.
//   npm run drill -- holds [short]
import { startApi } from '../../server/local/drill/api-process.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import { checkBooks, settle } from '../holds/books.ts'
import { runHolds } from '../holds/stories.ts'
import { createReport, type World } from '../holds/world.ts'
import { runParts } from '../run-parts.ts'
import { startTwoApis } from '../two-apis.ts'
import { createShop } from '../vouchers/world.ts'

const report = createReport()
const stops: (() => Promise<unknown>)[] = []

await runParts(report.faults, stops, createWorld, [
  ['holds, redemptions, replacements and kills', runHolds],
  ['ends of what is over', settle],
  ['books', checkBooks],
])

const { holds, overCaptured, stranded, doubled, lost, unknown, kills, counts, redemptions } = report
const captures = holds.reduce((sum, hold) => sum + hold.captures.length, 0)
console.log(
  `holds holds=${holds.length} over_captured=${overCaptured} stranded=${stranded} doubled=${doubled} lost=${lost} ` +
    `unknown=${unknown} captures=${captures} redemptions=${redemptions.length} replaced=${counts.replaced} ` +
    `expired_vouchers=${counts['expired vouchers']} kills=${kills} faults=${report.faults.length}`,
)
process.exit(report.faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const { pool, pepper, settings, apis } = await startTwoApis(stops)
  const worker = await startApi(settings, 'worker')
  stops.push(worker.stop)
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const shop = await createShop(pool, pepper, 'SHOP')
  return { isShort: process.argv.includes('short'), pool, apis, worker, shop, vouchers: [], report }
}
