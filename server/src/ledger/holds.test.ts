import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { inTransaction } from '../base/db.ts'
import type { Account } from './account.ts'
import { postWithin } from './batch.ts'
import { expireHolds } from './expire-holds.ts'
import type { HoldAct } from './journal.ts'
import { openLedger } from './post.ts'

let world: LedgerWorld
const minuteMs = 60_000

beforeAll(async () => {
  world = await createLedgerWorld((await createTestDatabase()).url)
})
afterEach(async () => expect(await world.faults()).toEqual([]))
afterAll(() => world.close())

const inMs = (ms: number): Date => new Date(world.clock().getTime() + ms)
const post = (holds: HoldAct[], transfers: { from: Account; to: Account; amount: bigint }[] = []) =>
  world.ledger.post(world.journal({ transfers, holds }))

async function reserved(amount: bigint, of: bigint, lifeMs = minuteMs) {
  const account = await world.funded('merchant', of)
  const payee = await world.open('merchant')
  const holdId = world.newId()
  await post([{ act: 'reserve', holdId, account, amount, expiresAt: inMs(lifeMs) }])
  return { account, payee, holdId }
}

test('held money cannot be spent, the rest can', async () => {
  const { account, payee } = await reserved(60n, 100n)
  await expect(world.ledger.post(world.journal(world.move(account, payee, 41n)))).rejects.toMatchObject({
    code: 'LEDGER_INSUFFICIENT',
    facts: { available: 40n, needed: 41n },
  })
  await world.ledger.post(world.journal(world.move(account, payee, 40n)))
  expect(await world.read(account)).toEqual({ balance: 60n, held: 60n })
})

test('a hold cannot exceed the balance', async () => {
  const { account } = await reserved(60n, 100n)
  const reserve = { act: 'reserve' as const, holdId: world.newId(), account, amount: 41n, expiresAt: inMs(minuteMs) }
  await expect(post([reserve])).rejects.toMatchObject({ code: 'LEDGER_INSUFFICIENT' })
})

test('a hold can be settled in parts, then released', async () => {
  const { account, payee, holdId } = await reserved(60n, 60n)
  const settle = (amount: bigint) =>
    post([{ act: 'settle', holdId, account, amount }], [{ from: account, to: payee, amount }])
  await settle(25n)
  expect(await world.read(account)).toEqual({ balance: 35n, held: 35n })
  await expect(settle(36n)).rejects.toMatchObject({ code: 'LEDGER_HOLD_TOO_SMALL', facts: { remaining: 35n } })
  await settle(5n)
  await post([{ act: 'release', holdId, account }])
  expect(await world.read(account)).toEqual({ balance: 30n, held: 0n })
  await expect(settle(1n)).rejects.toMatchObject({ code: 'LEDGER_HOLD_DEAD' })
})

test('one journal can settle a whole hold and release it', async () => {
  const { account, payee, holdId } = await reserved(60n, 60n)
  await post(
    [
      { act: 'settle', holdId, account, amount: 60n },
      { act: 'release', holdId, account },
    ],
    [{ from: account, to: payee, amount: 60n }],
  )
  expect(await world.read(account)).toEqual({ balance: 0n, held: 0n })
})

test('a transfer reads none of the 20,000 open holds on its account', async () => {
  const { account, payee } = await reserved(1n, 1_000_000n)
  const ids = Array.from({ length: 20_000 }, () => world.newId())
  const chunks = Array.from({ length: 200 }, (_, i) => ids.slice(i * 100, (i + 1) * 100))
  await Promise.all(
    chunks.map((chunk) =>
      post(chunk.map((holdId) => ({ act: 'reserve', holdId, account, amount: 1n, expiresAt: inMs(60 * minuteMs) }))),
    ),
  )
  const read = await inTransaction(world.pool, async (tx) => {
    const rowsRead = async (): Promise<bigint> => {
      const { rows } = await tx.query<{ n: bigint }>(
        `select seq_tup_read + idx_tup_fetch as n from pg_stat_xact_user_tables where relname = 'ledger_holds'`,
      )
      return rows[0]!.n
    }
    const before = await rowsRead()
    await postWithin(tx, world.journal(world.move(account, payee, 1n)), world)
    return (await rowsRead()) - before
  })
  expect(read).toBe(0n)
})

test('a hold ends at its expiry even if no job has run', async () => {
  const { account, payee, holdId } = await reserved(60n, 60n)
  world.clock.advance(minuteMs)
  await expect(
    post([{ act: 'settle', holdId, account, amount: 1n }], [{ from: account, to: payee, amount: 1n }]),
  ).rejects.toMatchObject({ code: 'LEDGER_HOLD_DEAD' })
  // The next journal can use what it reserved, without a job.
  await world.ledger.post(world.journal(world.move(account, payee, 60n)))
  expect(await world.read(account)).toEqual({ balance: 0n, held: 0n })
})

test('the job releases expired holds of accounts without activity, once each', async () => {
  await expireHolds(world.pool, world.ledger, world.clock, world.newId)
  const holds = await Promise.all(Array.from({ length: 20 }, () => reserved(10n, 10n)))
  expect(await expireHolds(world.pool, world.ledger, world.clock, world.newId)).toBe(0)
  world.clock.advance(minuteMs)
  const runs = await Promise.all([1, 2, 3].map(() => expireHolds(world.pool, world.ledger, world.clock, world.newId)))
  expect(Math.max(...runs)).toBe(20)
  for (const { account } of holds) expect(await world.read(account)).toEqual({ balance: 10n, held: 0n })
  expect(await expireHolds(world.pool, world.ledger, world.clock, world.newId)).toBe(0)
})

test('a hold that is reserved and settled at the same time is settled in the next batch', async () => {
  const account = await world.funded('merchant', 10n)
  const payee = await world.open('merchant')
  const holdId = world.newId()
  const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId, lanes: 1 })
  const reserve: HoldAct = { act: 'reserve', holdId, account, amount: 10n, expiresAt: inMs(minuteMs) }
  await Promise.all([
    ledger.post(world.journal({ transfers: [], holds: [reserve] })),
    ledger.post(
      world.journal({ ...world.move(account, payee, 10n), holds: [{ act: 'settle', holdId, account, amount: 10n }] }),
    ),
  ])
  expect(ledger.stats.batches).toBe(2)
  expect(await world.read(account)).toEqual({ balance: 0n, held: 0n })
  await ledger.close()
})

test('refuses a hold of another account, an unknown hold and a second reservation', async () => {
  const { account, holdId } = await reserved(5n, 10n)
  const other = await world.funded('merchant', 10n)
  const reserve = { act: 'reserve' as const, holdId, account, amount: 1n, expiresAt: inMs(minuteMs) }
  await expect(post([reserve])).rejects.toMatchObject({ code: 'LEDGER_HOLD_EXISTS' })
  await expect(post([{ act: 'release', holdId, account: other }])).rejects.toMatchObject({
    code: 'LEDGER_HOLD_MISSING',
  })
  await expect(post([{ act: 'release', holdId: world.newId(), account }])).rejects.toMatchObject({
    code: 'LEDGER_HOLD_MISSING',
  })
})

test('50 concurrent settlements of one hold take exactly what it reserves', async () => {
  const { account, payee, holdId } = await reserved(30n, 100n)
  const settle = () =>
    post([{ act: 'settle', holdId, account, amount: 1n }], [{ from: account, to: payee, amount: 1n }])
  const results = await Promise.allSettled(Array.from({ length: 50 }, settle))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
  expect(await world.read(account)).toEqual({ balance: 70n, held: 0n })
})

test("postWithin commits and rolls back with the caller's transaction", async () => {
  const voucher = await world.funded('voucher', 10n)
  const merchant = await world.open('merchant')
  const journal = world.journal(world.move(voucher, merchant, 10n), {
    key: `within/${voucher.ownerId}`,
    requestFingerprint: '10',
  })
  const failing = inTransaction(world.pool, async (tx) => {
    await postWithin(tx, journal, world)
    throw new Error('the caller rolls back')
  })
  await expect(failing).rejects.toThrow('the caller rolls back')
  expect(await world.balanceOf(voucher)).toBe(10n)
  expect(await inTransaction(world.pool, (tx) => postWithin(tx, journal, world))).toMatchObject({ replayed: false })
  const again = { ...journal, id: world.newId() }
  expect(await inTransaction(world.pool, (tx) => postWithin(tx, again, world))).toMatchObject({
    journalId: journal.id,
    replayed: true,
  })
  const tooMuch = world.journal(world.move(voucher, merchant, 1n))
  await expect(inTransaction(world.pool, (tx) => postWithin(tx, tooMuch, world))).rejects.toMatchObject({
    code: 'LEDGER_INSUFFICIENT',
  })
})

test('postWithin gives up with LEDGER_BUSY on a locked account', async () => {
  const voucher = await world.funded('voucher', 10n)
  const merchant = await world.open('merchant')
  const blocking = inTransaction(world.pool, async (tx) => {
    await tx.query('select from ledger_accounts where owner_id = $1 for update', [voucher.ownerId])
    const blocked = inTransaction(world.pool, (other) =>
      postWithin(other, world.journal(world.move(voucher, merchant, 1n)), world),
    )
    await expect(blocked).rejects.toMatchObject({ code: 'LEDGER_BUSY', kind: 'unavailable' })
  })
  await blocking
})

test('postWithin and post racing for one key post once and return the same journal', async () => {
  for (let round = 0; round < 20; round++) {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const build = () =>
      world.journal(world.move(voucher, merchant, 6n), { key: `race/${voucher.ownerId}`, requestFingerprint: '6' })
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 ? world.ledger.post(build()) : inTransaction(world.pool, (tx) => postWithin(tx, build(), world)),
      ),
    )
    expect(new Set(results.map(({ journalId }) => journalId)).size).toBe(1)
    expect(await world.balanceOf(merchant)).toBe(6n)
  }
})
