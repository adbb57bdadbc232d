import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneTemplate, createTemplate } from '../../local/parts/database.ts'
import { type LocalPostgres, startPostgres } from '../../local/parts/postgres.ts'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { connect, type Connection } from '../base/db.ts'
import { openLedger } from './post.ts'

// A server of its own, because the setting applies to all databases of a server.
let postgres: LocalPostgres
let admin: Connection
let world: LedgerWorld
beforeAll(async () => {
  postgres = await startPostgres()
  const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
  admin = await connect(postgres.adminUrl)
  world = await createLedgerWorld(url)
})
afterAll(async () => {
  await world.close()
  await admin.end()
  await postgres.stop()
})

/** Commits wait for this standby from now on. */
async function waitForStandby(name: string): Promise<void> {
  await admin.query(`alter system set synchronous_standby_names = '${name}'`)
  await admin.query('select pg_reload_conf()')
}

/** Cancels a commit that waits for a standby. Returns whether there was one. */
async function cancelWait(): Promise<boolean> {
  const { rowCount } = await admin.query(
    `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
  )
  return rowCount === 1
}

async function cancelNextWait(): Promise<void> {
  while (!(await cancelWait())) await sleep(20)
}

test.for([
  ['in one round', false],
  ['the careful way', true],
] as const)('posted %s, a journal is not acknowledged until a standby has it', async ([, isCareful]) => {
  const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
  const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId, isCareful })
  // The connection and its statements exist before the standby is missing.
  await ledger.post(world.journal(world.move(voucher, merchant, 1n)))
  await waitForStandby('missing')
  await sleep(200)
  let isAcknowledged = false
  const posting = ledger.post(world.journal(world.move(voucher, merchant, 10n))).then(() => {
    isAcknowledged = true
  })
  // PostgreSQL reports a cancelled wait as a success, with a warning. The retry waits again.
  await cancelNextWait()
  await sleep(500)
  expect(isAcknowledged).toBe(false)
  await waitForStandby('')
  await posting
  expect(await world.balanceOf(merchant)).toBe(11n)
  await ledger.close()
})
