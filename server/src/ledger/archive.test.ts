import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { connect, type Connection } from '../base/db.ts'
import { createLog } from '../base/log.ts'
import { archiveParts } from './archive.ts'
import { addParts } from './parts.ts'
import { verifyLedger } from './verify.ts'

let world: ApiWorld
let owner: Connection
let server: Connection
let ownerUrl: string

beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  world = await createApiWorld(database.url)
  owner = await connect(ownerUrl)
  server = await connect(database.url)
})
afterAll(async () => {
  await owner.end()
  await server.end()
  await world.close()
})

const later = new Date('2031-02-03T00:00:00Z')
const archive = () => archiveParts(ownerUrl, later, { clock: world.tools.clock, report: () => undefined })
const count = async (from: string): Promise<number> => {
  const { rows } = await owner.query<{ count: bigint }>(`select count(*) from ${from}`)
  return Number(rows[0]?.count)
}

test('archived payments are still found, listed, reported, verified and repeated, and are neither refunded nor emailed', async () => {
  const { code } = await world.issueVoucher()
  const body = { voucherCode: code, amount: 5, referenceId: 'archived-1' }
  expect((await world.redeem(body)).status).toBe(200)
  const path = '/merchant-integrations-server/verify-transaction/archived-1'
  const before = await world.get<{ id: string }>(path)
  const rows = await count('ledger_transfers')
  expect(rows).toBeGreaterThan(0)

  expect(await archive()).toEqual(['p0000'])

  expect(await count('ledger_transfers')).toBe(0)
  expect(await count('archive.ledger_transfers')).toBe(rows)
  expect(await verifyLedger(owner)).toEqual([])
  expect((await world.get<{ id: string }>(path)).data).toEqual(before.data)
  const list = await world.get<{ transactions: { referenceId: string }[] }>(
    '/merchant-integrations-server/transactions',
  )
  expect(JSON.stringify(list.data)).toContain('archived-1')
  const repeated = await world.redeem(body)
  expect(repeated.headers['idempotent-replayed']).toBe('true')
  const changed = await world.redeem({ ...body, amount: 6 })
  expect(changed.status).toBe(409)
  const refund = { referenceId: 'archived-1', amount: 1, reason: 'late', refundReferenceId: 'archived-1-back' }
  const refused = await world.post('/merchant-integrations-server/refund', refund)
  expect(refused).toMatchObject({ status: 409, error: { code: 'TRANSACTION_ARCHIVED' } })
  const mail = { email: 'customer@example.com' }
  const unsent = await world.post('/merchant-integrations-server/transactions/archived-1/receipt', mail)
  expect(unsent).toMatchObject({ status: 409, error: { code: 'TRANSACTION_ARCHIVED' } })
  expect((await world.redeem({ ...body, referenceId: 'archived-2' })).status).toBe(200)
  expect(await verifyLedger(owner)).toEqual([])
})

test('a changed or missing transfer in the archive is found by the check of the ledger', async () => {
  await owner.query('begin')
  await owner.query('alter table archive.ledger_transfers_p0000 disable trigger all')
  await owner.query('update archive.ledger_transfers_p0000 set amount = amount + 1 where position = 0')
  expect((await verifyLedger(owner)).length).toBeGreaterThan(0)
  await owner.query('rollback')
})

test('neither the server nor the owner changes what is archived', async () => {
  const attacks = ['ledger_journals', 'ledger_transfers', 'redemptions', 'transactions'].flatMap((table) =>
    [`archive.${table}`, `archive.${table}_p0000`].flatMap((name) => [
      `update ${name} set ${table === 'ledger_journals' ? 'kind = kind' : 'amount = amount + 1'}`,
      `delete from ${name}`,
      `truncate ${name}`,
      `insert into ${name} select * from ${name}`,
    ]),
  )
  for (const attack of attacks) {
    await expect(server.query(attack), attack).rejects.toThrow()
    await expect(owner.query(attack), attack).rejects.toThrow(/never changes/)
  }
})

test('a part with an open transaction stays', async () => {
  const open = await owner.query<{ part: string; open_transactions: bigint }>(
    `select part, open_transactions from ended_parts('2031-02-03')`,
  )
  expect(open.rows).toEqual([])
  const pending = await createTestDatabase()
  const other = await connect(pending.ownerUrl)
  await other.query(`insert into ledger_books (mode, currency) values ('test', 'USD') on conflict do nothing`)
  await other.query(
    `
    insert into transactions (environment_id, id, reference, type, status, book_id, amount, charged, charge_type, metadata, created_at)
    select $1, $1, 'waits', 'PAYOUT', 'PENDING', id, 1, 1, 'NONE', '', '2026-01-01' from ledger_books limit 1`,
    [world.newId()],
  )
  await other.end()
  const tools = { clock: world.tools.clock, report: () => undefined }
  await expect(archiveParts(pending.ownerUrl, later, tools)).rejects.toThrow('has 1 open transactions')
})

test('every part of a divided table refuses what the table refuses, when a statement names it', async () => {
  await addParts(owner, new Date('2030-01-01T00:00:00Z'), createLog('silent'))
  const { rows } = await owner.query<{ part: string }>(
    `select inhrelid::regclass::text as part from pg_inherits where inhparent in ('ledger_journals'::regclass, 'ledger_transfers'::regclass)`,
  )
  expect(rows.length).toBeGreaterThan(6)
  for (const { part } of rows)
    for (const attack of [
      `update ${part} set ${part.includes('journals') ? 'kind = kind' : 'amount = 1'}`,
      `delete from ${part}`,
      `truncate ${part}`,
    ]) {
      await expect(owner.query(attack), attack).rejects.toThrow('a correction is a new journal')
      await expect(server.query(attack), attack).rejects.toThrow(/permission denied|must be owner/)
    }
  await expect(owner.query('delete from ledger_keys_p0')).rejects.toThrow('keys are registered by their journals')
})
