// Authorises, declines and cancels payment requests concurrently, and sends payouts repeatedly under caps and kills, over
// HTTP at two API processes. Then compares the database with the responses that the clients got.
//   npm run drill -- people [short]
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { createBooks } from '../people/books.ts'
import { authoriseAtOnce, endAtOnce } from '../people/payments.ts'
import { payUnderCap, replayAcrossKills } from '../people/payouts.ts'
import { createReport, type World } from '../people/world.ts'
import { runParts } from '../run-parts.ts'
import { startTwoApis } from '../two-apis.ts'
import { openMerchant } from '../voucher-lifecycle/world.ts'

const startMs = performance.now()
const report = createReport()
const stops: (() => Promise<unknown>)[] = []

await runParts(report.faults, stops, createWorld, [
  ['200 authorisations at once', authoriseAtOnce],
  ['four outcomes at once', endAtOnce],
  ['one payout, retried', replayAcrossKills],
  ['payouts under a cap', payUnderCap],
  ['books', checkBooks],
])

const { authorisations, rounds, ends, replays, kills, capped } = report
const faults = report.faults.length + report.unshown
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `people authorisations=${authorisations} rounds=${rounds} completed=${ends.completed} failed=${ends.failed} ` +
    `withdrawn=${ends.withdrawn} expired=${ends.expired} replays=${replays} kills=${kills} capped=${capped} ` +
    `faults=${faults} seconds=${seconds}`,
)
process.exit(faults === 0 ? 0 : 1)

async function createWorld(): Promise<World> {
  const { pool, pepper, publicUrl, apis } = await startTwoApis(stops)
  return {
    isShort: process.argv.includes('short'),
    pool,
    apis,
    publicUrl,
    openMerchant: (code) => openMerchant(pool, pepper, code),
    books: createBooks(),
    report,
  }
}

async function checkBooks({ pool, apis, books }: World): Promise<void> {
  for (const fault of [...(await verifyLedger(pool)), ...(await books.compare(pool))]) report.expect(false, fault)
  for (const api of apis) report.expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 2_000)}`)
}
