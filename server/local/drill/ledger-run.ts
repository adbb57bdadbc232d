// Creates the world of a load, and runs poster processes against it.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { createPool, type Pool } from '../../src/base/db.ts'
import { createIds } from '../../src/base/id.ts'
import { systemRandom } from '../../src/base/random.ts'
import { mayGoNegative } from '../../src/ledger/account.ts'
import { ensureBook } from '../../src/ledger/book.ts'
import { expireHolds } from '../../src/ledger/expire-holds.ts'
import { openLedger } from '../../src/ledger/post.ts'
import type { LedgerStats } from '../../src/ledger/poster.ts'
import { initialAccounts, type LoadWorld } from './ledger-load.ts'
import type { PosterTask } from './ledger-poster.ts'

export async function createLoadWorld(pool: Pool, seed: number, posters: number): Promise<LoadWorld> {
  const world: LoadWorld = {
    seed,
    posters,
    books: [await ensureBook(pool, 'test', 'USD'), await ensureBook(pool, 'test', 'EUR')],
  }
  for (const { bookId, ownerId, kind } of initialAccounts(world))
    await pool.query('insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values ($1, $2, $3, $4)', [
      bookId,
      ownerId,
      kind,
      mayGoNegative(kind),
    ])
  return world
}

export type PosterProcess = { readonly child: ChildProcess; readonly ended: Promise<LedgerStats | undefined> }

/** `ended` resolves to the ledger's statistics, or to undefined if the process was killed. It rejects if a poster fails. */
export function startPosters(task: PosterTask): PosterProcess {
  const script = join(import.meta.dirname, 'ledger-poster.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<LedgerStats | undefined>((resolve, reject) => {
    child.once('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code === 0) resolve(JSON.parse(output) as LedgerStats)
      else reject(new Error(`a poster ended with ${code ?? signal}`))
    })
  })
  return { child, ended }
}

/** After the load, releases what expired holds reserve, so that the ledger can be compared with the model. */
export async function settleLoad(url: string): Promise<void> {
  const newId = createIds(systemClock, systemRandom)
  const pool = createPool(url)
  const ledger = openLedger({ url, clock: systemClock, newId })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  while ((await expireHolds(pool, ledger, systemClock, newId)) > 0);
  await ledger.close()
  await pool.end()
}
