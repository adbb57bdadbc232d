// Tries to spend vouchers twice and to guess their codes and PINs, over HTTP, at two API processes that are killed
// meanwhile, then compares the database with the responses that the client got.
//   npm run drill -- vouchers [short]
import { type ApiProcess, startApi } from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { createPool } from '../../server/src/base/db.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { saveRule } from '../../server/src/catalogue/charge/store.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { runParts } from '../run-parts.ts'
import { compareTimes, guessCodes, guessPins } from '../vouchers/guessing.ts'
import { repeatAcrossKills, spendTwice } from '../vouchers/spending.ts'
import { createReport, createShop, type World } from '../vouchers/world.ts'

const report = createReport()
const stops: (() => Promise<unknown>)[] = []

await runParts(report.faults, stops, createWorld, [
  ['double spend', spendTwice],
  ['idempotency', repeatAcrossKills],
  ['PIN guessing', guessPins],
  ['code guessing', guessCodes],
  ['timing', compareTimes],
  ['ledger', checkLedger],
])

const { paid, overRedeemed, replaysDiffering, pinsCompared, guesses, hits } = report
console.log(
  `vouchers redemptions=${paid.length} over_redeemed=${overRedeemed} replays_differing=${replaysDiffering} ` +
    `pins_compared=${pinsCompared} guesses=${guesses} hits=${hits}`,
)
process.exit(report.faults.length === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const postgres = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } })
  stops.push(postgres.stop)
  const { url, ownerUrl } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  const pool = createPool(ownerUrl)
  stops.push(() => pool.end())
  const pepper = systemRandom(32)
  const shop = await createShop(pool, pepper, 'SHOP')
  const elsewhere = 'ELSEWHERE'
  await createShop(pool, pepper, elsewhere)
  await saveRule(pool, 'test', 'USD', { fixed: 10n, sharePpm: 15_000n })
  const settings = drillSettings(url, pepper)
  const start = async (): Promise<ApiProcess> => {
    const api = await startApi(settings)
    stops.push(api.stop)
    return api
  }
  const apis: World['apis'] = [await start(), await start()]
  return { isShort: process.argv.includes('short'), pool, apis, shop, elsewhere, report }
}

async function checkLedger({ pool, apis }: World): Promise<void> {
  report.faults.push(...(await verifyLedger(pool)))
  for (const api of apis) report.expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 2_000)}`)
}
