// Where the time of a redemption goes at saturation: the statements in PostgreSQL, the parts of the API, and a flame graph.
//   npm run bench -- redeem-profile [short]
// Needs wrk. The profiler and pg_stat_statements slow things down, so this measures shares, not rates.
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atDatabase } from '../server/local/parts/database.ts'
import { connect } from '../server/src/base/db.ts'
import { flameGraph, readProfile, sharesByPlace } from './flame.ts'
import { hasWrk, wrkLoad } from './http-load.ts'
import { startApi } from './redeem-process.ts'
import { startRedeemWorld } from './redeem-world.ts'

const isShort = process.argv.includes('short')
const [seconds, vouchers] = isShort ? [4, 20_000] : [16, 100_000]
const warmUpSeconds = 3
const shown = 20

if (!hasWrk) throw new Error('Install wrk.')
const { postgres, ownerUrl, port, environment, spread } = await startRedeemWorld(vouchers, {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
})
const admin = await connect(atDatabase(postgres.adminUrl, new URL(ownerUrl).pathname.slice(1)))
await admin.query('create extension pg_stat_statements')
const folder = mkdtempSync(join(tmpdir(), 'scrip-profile-'))
const api = await startApi({
  mode: 'batched',
  environment,
  node: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'],
})
await wrkLoad(port, spread, 256, warmUpSeconds)
await admin.query('select pg_stat_statements_reset()')
const { perSecond } = await wrkLoad(port, spread, 256, seconds)
const redemptions = await printStatements()
await api.stop()
await admin.end()
await postgres.stop()

const [file = ''] = readdirSync(folder)
// From its start to its first request, and the warm-up.
const profile = readProfile(join(folder, file), warmUpSeconds + 2)
console.log('\nAPI, share of its busy time')
for (const [place, share] of sharesByPlace(profile).slice(0, shown))
  console.log(`${(share * 100).toFixed(1).padStart(6)} %  ${place}`)
if (!isShort)
  writeFileSync(
    join(import.meta.dirname, '../docs/operate/redeem-flame.svg'),
    flameGraph('One API process at saturation, by stack', profile),
  )
console.log(`redeem-profile redemptions=${redemptions} http_per_s=${perSecond.toFixed(0)}`)
process.exit()

/** Prints the time of each statement for one redemption. Statements of functions and triggers are part of those that call them. */
async function printStatements(): Promise<number> {
  const counted = await admin.query<{ count: string }>(
    `select sum(rows)::text as count from pg_stat_statements where toplevel and query ~ 'insert into ledger_journals'`,
  )
  const count = Number(counted.rows[0]?.count ?? 0)
  const { rows } = await admin.query<{ us: number; calls: string; isTop: boolean; text: string }>(
    `select total_exec_time * 1000 / $1 as us, calls::text, toplevel as "isTop",
        left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as text
      from pg_stat_statements order by total_exec_time desc limit $2`,
    [count, shown],
  )
  console.log(`PostgreSQL, µs for each of ${count} redemptions`)
  for (const { us, calls, isTop, text } of rows)
    console.log(`${us.toFixed(1).padStart(6)}  ${calls.padStart(6)} calls  ${isTop ? '' : '  in '}${text}`)
  return count
}
