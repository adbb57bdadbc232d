import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLedger } from '../../local/drill/ledger-check.ts'
import { createLoadWorld, settleLoad, startPosters } from '../../local/drill/ledger-run.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { createPool } from '../base/db.ts'

// Every run uses a new seed and prints it: set LEDGER_SEED to repeat the same load.
const seed = Number(process.env.LEDGER_SEED ?? Math.floor(Math.random() * 1e9))
const journalsPerPoster = 11_000

test(`8 posters in 2 processes leave the ledger equal to the model run in commit order (seed ${seed})`, async () => {
  const { url } = await createTestDatabase()
  const pool = createPool(url)
  const world = await createLoadWorld(pool, seed, 8)
  const folder = mkdtempSync(join(tmpdir(), 'scrip-load-'))
  const tasks = [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ].map((posters, i) => ({
    url,
    world,
    posters,
    from: {},
    count: journalsPerPoster,
    windowSize: 24,
    logFile: join(folder, `${i}.log`),
  }))
  const stats = await Promise.all(tasks.map((task) => startPosters(task).ended))
  await settleLoad(url)
  const report = await checkLedger(
    pool,
    world,
    tasks.map(({ logFile }) => logFile),
  )
  await pool.end()
  expect(report.faults).toEqual([])
  expect(report).toMatchObject({ lost: 0, doubled: 0, answers: 8 * journalsPerPoster })
  // The load must reach every outcome, otherwise it proves little.
  expect(Object.keys(report.outcomes).toSorted()).toEqual([
    '0',
    '1',
    '2',
    'LEDGER_HOLD_DEAD',
    'LEDGER_HOLD_MISSING',
    'LEDGER_HOLD_TOO_SMALL',
    'LEDGER_INSUFFICIENT',
    'LEDGER_KEY_CONFLICT',
    'repeat',
  ])
  expect(report.journals).toBeGreaterThanOrEqual(50_000)
  expect(stats.map((ended) => ended?.deadlocks)).toEqual([0, 0])
}, 300_000)
