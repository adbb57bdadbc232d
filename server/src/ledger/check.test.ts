// Plants changes behind the ledger's back and expects the background check to name each of them, and nothing else.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/parts/database.ts'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { connect, type Connection, createPool, type Pool } from '../base/db.ts'
import { createLeases, type Leases } from '../base/lease.ts'
import { createLog } from '../base/log.ts'
import type { Account } from './account.ts'
import { archiveParts } from './archive.ts'
import {
  acknowledgeDifference,
  createCheckLedger,
  describeDifference,
  findRunningCheck,
  type LedgerDifference,
  listOpenDifferences,
  readVerification,
} from './check.ts'
import { addParts } from './parts.ts'

let world: LedgerWorld
let owner: Connection
let ownerUrl: string
let checkPool: Pool
let leases: Leases
let voucher: Account
let merchant: Account
let store: { float: Account; voucher: Account }
let treasury: Account
let liveBookId: number
let nowMs = Date.now()
let logged = ''
const alerts: LedgerDifference[] = []

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const clock = () => new Date(nowMs)
const log = createLog('info', { write: (line: string) => void (logged += line) })

/** An id that was made so long ago. */
const idBefore = (ms: number): string => {
  const time = (nowMs - ms).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${world.newId().slice(13)}`
}
const oldMs = 400 * dayMs
const recentMs = 2 * dayMs

const createJob = (more: object = {}) =>
  createCheckLedger({
    checkPool,
    clock,
    leases,
    log,
    rest: () => Promise.resolve(),
    alertDifference: (difference) => Promise.resolve(void alerts.push(difference)),
    ...more,
  })

/** Runs the job until nothing is due. */
async function finishChecks(job = createJob()): Promise<void> {
  while (await job.run()) continue
}
async function checkRecent(): Promise<void> {
  nowMs += hourMs + 1
  await finishChecks()
}
async function checkAll(): Promise<void> {
  nowMs += 7 * dayMs
  await finishChecks()
}

/** What is planted as a superuser whose triggers are off, as by someone who has the database's own password. */
async function plant(...statements: string[]): Promise<void> {
  await owner.query('begin')
  // No trigger fires.
  await owner.query(`set local session_replication_role = 'replica'`)
  for (const statement of statements) await owner.query(statement)
  await owner.query('commit')
}

/** A payment of 10 that was made so long ago. */
async function payBefore(ms: number, from = voucher, to = merchant): Promise<string> {
  const id = idBefore(ms)
  await world.ledger.post(world.journal(world.move(from, to, 10n), { id }))
  return id
}
/** A hold of 5 that was made so long ago. */
async function holdBefore(ms: number): Promise<{ holdId: string; journalId: string }> {
  const [id, holdId] = [idBefore(ms), idBefore(ms)]
  const expiresAt = new Date(nowMs + 1_000 * dayMs)
  const posting = {
    transfers: [],
    holds: [{ act: 'reserve' as const, holdId, account: merchant, amount: 5n, expiresAt }],
  }
  await world.ledger.post(world.journal(posting, { id }))
  return { holdId, journalId: id }
}

beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  world = await createLedgerWorld(database.url)
  owner = await connect(atDatabase(inject('adminUrl'), new URL(ownerUrl).pathname.slice(1)))
  checkPool = createPool(database.url, 1)
  leases = createLeases(database.url)
  const live = await owner.query<{ id: number }>(
    `insert into ledger_books (mode, currency) values ('live', 'USD') returning id`,
  )
  liveBookId = live.rows[0]!.id
  voucher = await world.funded('voucher', 1_000_000n)
  merchant = await world.funded('merchant', 1_000n)
  treasury = world.account('treasury')
  store = { float: world.account('store_float'), voucher: world.account('store_voucher') }
  await plant(
    ...[treasury, store.float].map(
      ({ bookId, ownerId, kind }) =>
        `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values (${bookId}, '${ownerId}', '${kind}', true)`,
    ),
    `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      values (${store.voucher.bookId}, '${store.voucher.ownerId}', 'store_voucher', false),
        (${liveBookId}, '${treasury.ownerId}', 'treasury', true), (${liveBookId}, '${merchant.ownerId}', 'merchant', false)`,
  )
  await finishChecks()
})
afterAll(async () => {
  await leases.close()
  await checkPool.end()
  await owner.end()
  await world.close()
})
beforeEach(() => {
  alerts.length = 0
  logged = ''
})

type Plant = {
  /** Makes the rows that `change` changes, and returns what names them. */
  readonly before?: (ms: number) => Promise<string>
  /** The statements that change it. */
  readonly change: (id: string, ms: number) => string[]
  /** What the check says, with `ID` for what `before` returned. Numbers are compared apart. */
  readonly says: readonly RegExp[]
}

const account = ({ bookId, ownerId, kind }: Account) => `${bookId}/${ownerId}/${kind}`
const where = ({ bookId, ownerId, kind }: Account) =>
  `book_id = ${bookId} and owner_id = '${ownerId}' and kind = '${kind}'`
const byHand = (id: string, book: number, from: Account, to: Account, amount: number) => [
  `insert into ledger_journals values ('${id}', '${id}', '${id}', 'test.planted', 0, '2026-01-01')`,
  `insert into ledger_keys values ('${id}', '${id}')`,
  `insert into ledger_transfers values ('${id}', 0, ${book}, '${from.kind}', '${to.kind}', '${from.ownerId}', '${to.ownerId}', ${amount})`,
]
/** With the balances that go with it, so that only what the transfer is can be wrong. */
const byHandMoved = (id: string, book: number, from: Account, to: Account, amount: number) => [
  ...byHand(id, book, from, to, amount),
  `update ledger_accounts set balance = balance - ${amount} where book_id = ${book} and owner_id = '${from.ownerId}' and kind = '${from.kind}'`,
  `update ledger_accounts set balance = balance + ${amount} where book_id = ${book} and owner_id = '${to.ownerId}' and kind = '${to.kind}'`,
]

const plants: Record<string, Plant> = {
  'the amount of a transfer': {
    before: (ms) => payBefore(ms),
    change: (id) => [`update ledger_transfers set amount = 17 where journal_id = '${id}'`],
    says: [/VOUCHER has \d+, its transfers sum to \d+/, /MERCHANT has \d+, its transfers sum to \d+/],
  },
  'a deleted transfer': {
    before: (ms) => payBefore(ms),
    change: (id) => [`delete from ledger_transfers where journal_id = '${id}'`],
    says: [/journal ID has no transfer/, /VOUCHER has/, /MERCHANT has/],
  },
  'an added transfer': {
    before: (ms) => payBefore(ms),
    change: (id) => [
      `insert into ledger_transfers select journal_id, 9, book_id, from_kind, to_kind, from_owner, to_owner, 3
        from ledger_transfers where journal_id = '${id}'`,
    ],
    says: [/VOUCHER has/, /MERCHANT has/],
  },
  'a transfer turned round': {
    before: (ms) => payBefore(ms),
    change: (id) => [
      `update ledger_transfers set from_owner = to_owner, from_kind = to_kind, to_owner = from_owner, to_kind = from_kind
        where journal_id = '${id}'`,
    ],
    says: [/VOUCHER has/, /MERCHANT has/],
  },
  'a transfer without a journal': {
    before: (ms) => payBefore(ms),
    change: (id) => [`delete from ledger_journals where id = '${id}'`],
    says: [/journal ID does not exist/],
  },
  'a journal without transfers': {
    before: (ms) => Promise.resolve(idBefore(ms)),
    change: (id) => byHand(id, 1, voucher, merchant, 1).slice(0, 2),
    says: [/journal ID has no transfer and no hold move \(ledger_journals_p\w+\)/],
  },
  'a key that belongs to another journal': {
    before: (ms) => payBefore(ms),
    change: (id) => [`update ledger_keys set journal_id = '${world.newId()}' where journal_id = '${id}'`],
    says: [/the key of journal ID is not registered/],
  },
  'a deleted key': {
    before: (ms) => payBefore(ms),
    change: (id) => [`delete from ledger_keys where journal_id = '${id}'`],
    says: [/the key of journal ID is not registered/],
  },
  'live money without a funding': {
    before: (ms) => Promise.resolve(idBefore(ms)),
    change: (id) => byHandMoved(id, liveBookId, treasury, merchant, 500),
    says: [/journal ID in book \d+ brings in 500, a funding or a chain accounts for 0/],
  },
  'store value that becomes platform money': {
    before: (ms) => Promise.resolve(idBefore(ms)),
    change: (id) => byHandMoved(id, 1, store.float, merchant, 20),
    says: [/journal ID moves 20 between store value and other money/],
  },
  'what a hold has left': {
    before: async (ms) => (await holdBefore(ms)).holdId,
    change: (id) => [`update ledger_holds set remaining = remaining + 2 where id = '${id}'`],
    says: [/hold ID has 7 left, its moves sum to 5/, /MERCHANT holds/],
  },
  'a deleted move of a hold': {
    before: async (ms) => (await holdBefore(ms)).holdId,
    change: (id) => [`delete from ledger_hold_moves where hold_id = '${id}'`],
    says: [/journal [-0-9a-f]+ has no transfer and no hold move/, /hold ID has 5 left, its moves sum to 0/],
  },
  'a deleted hold': {
    before: async (ms) => (await holdBefore(ms)).holdId,
    change: (id) => [`delete from ledger_holds where id = '${id}'`],
    says: [/hold ID has 0 left, its moves sum to 5/, /MERCHANT holds/],
  },
  'an account that begins with money': {
    before: (ms) => Promise.resolve(idBefore(ms)),
    change: (id) => [
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative, balance) values (1, '${id}', 'wallet', false, 9)`,
    ],
    says: [/account 1\/ID\/wallet has 9, its transfers sum to 0/],
  },
}

/** Undoes what was planted, so that each plant stands alone: the rows are as PostgreSQL had them. */
async function withRestored(work: () => Promise<void>): Promise<void> {
  const tables = ['journals', 'transfers', 'keys', 'accounts', 'holds', 'hold_moves'].map((name) => `ledger_${name}`)
  for (const table of tables) await owner.query(`create temp table saved_${table} as select * from ${table}`)
  try {
    await work()
  } finally {
    await plant(
      ...tables.flatMap((table) => [`delete from ${table}`, `insert into ${table} select * from saved_${table}`]),
      `delete from ledger_fundings`,
    )
    for (const table of tables) await owner.query(`drop table saved_${table}`)
    await owner.query('delete from ledger_differences')
  }
}

function expectSaid(says: readonly RegExp[], id: string): void {
  const lines = alerts.map((alert) =>
    describeDifference(alert)
      .replace(id, 'ID')
      .replace(`account ${account(voucher)}`, 'VOUCHER')
      .replace(`account ${account(merchant)}`, 'MERCHANT'),
  )
  for (const line of says)
    expect(
      lines.filter((each) => line.test(each)),
      `${line} in ${lines.join('; ')}`,
    ).toHaveLength(1)
  expect(lines, lines.join('; ')).toHaveLength(says.length)
  for (const alert of alerts) expect(logged).toContain(describeDifference(alert))
}

describe.each(Object.entries(plants))('%s', (_, { before, change, says }) => {
  test('in a recent part is found and named by the next hourly check', async () => {
    const id = (await before?.(recentMs)) ?? ''
    await checkRecent()
    expect(alerts).toEqual([])
    await withRestored(async () => {
      await plant(...change(id, recentMs))
      await checkRecent()
      expectSaid(says, id)
      expect(alerts.map(({ check }) => check)).toEqual(says.map(() => 'recent'))
      // Nothing is said twice, although the next checks find it again.
      await checkRecent()
      expect(alerts).toHaveLength(says.length)
    })
  })

  test('in an old part is found and named by the weekly check', async () => {
    const id = (await before?.(oldMs)) ?? ''
    await checkAll()
    expect(alerts).toEqual([])
    await withRestored(async () => {
      await plant(...change(id, oldMs))
      await checkAll()
      expectSaid(says, id)
      expect(alerts.map(({ check }) => check)).toEqual(says.map(() => 'full'))
      await checkAll()
      expect(alerts).toHaveLength(says.length)
    })
  })
})

const ofAccounts: Record<string, { change: () => string[]; says: RegExp[] }> = {
  'a balance': {
    change: () => [`update ledger_accounts set balance = balance + 4 where ${where(voucher)}`],
    says: [/VOUCHER has (\d+), its transfers sum to \d+/],
  },
  'what is held': {
    change: () => [`update ledger_accounts set held = held + 4 where ${where(voucher)}`],
    says: [/VOUCHER holds 4, its holds sum to 0/],
  },
  'a deleted account': {
    change: () => [`delete from ledger_accounts where ${where(voucher)}`],
    says: [/VOUCHER has 0, its transfers sum to \d+/],
  },
  'more held than there is': {
    change: () => [
      `alter table ledger_accounts drop constraint if exists ledger_accounts_covered`,
      `update ledger_accounts set held = balance + 1 where ${where(voucher)}`,
    ],
    says: [/VOUCHER holds \d+, its holds sum to 0/, /VOUCHER holds \d+ of \d+/],
  },
}

describe.each(Object.entries(ofAccounts))('%s', (_, { change, says }) => {
  test('of an account with recent payments is found by the hourly check, and of another one by the weekly check', async () => {
    await checkAll()
    await payBefore(recentMs)
    await checkRecent()
    await withRestored(async () => {
      await plant(...change())
      await checkRecent()
      expectSaid(says, 'none')
      expect(alerts.map(({ check }) => check)).toEqual(says.map(() => 'recent'))
    })
    alerts.length = 0
    // The quarter of the payments has ended.
    nowMs += 200 * dayMs
    await finishChecks()
    expect(alerts).toEqual([])
    await withRestored(async () => {
      await plant(...change())
      await checkRecent()
      expect(alerts).toEqual([])
      await checkAll()
      expectSaid(says, 'none')
      expect(alerts.map(({ check }) => check)).toEqual(says.map(() => 'full'))
    })
    nowMs -= 207 * dayMs
    await owner.query('delete from ledger_differences; delete from ledger_checks; truncate ledger_check_sums')
    await finishChecks()
  })
})

test('a changed transfer in an archived part is found by the weekly check', async () => {
  const database = await createTestDatabase()
  const other = await createLedgerWorld(database.url)
  const admin = await connect(atDatabase(inject('adminUrl'), new URL(database.ownerUrl).pathname.slice(1)))
  const pool = createPool(database.url, 1)
  const at = { ms: Date.now() }
  // Time goes on during a check.
  const job = createJob({ checkPool: pool, clock: () => new Date((at.ms += 500)) })
  const paid = await other.funded('voucher', 50n)
  await finishChecks(job)
  expect(alerts).toEqual([])
  at.ms += 400 * dayMs
  await addParts(admin, new Date(at.ms), log)
  const quiet = { clock: () => new Date(at.ms), report: () => undefined }
  expect(await archiveParts(database.ownerUrl, new Date(at.ms - 60 * dayMs), quiet)).not.toEqual([])
  await finishChecks(job)
  expect(alerts).toEqual([])
  await admin.query(`set session_replication_role = 'replica'; update archive.ledger_transfers set amount = 60`)
  at.ms += 7 * dayMs
  await finishChecks(job)
  expect(alerts.map(describeDifference).toSorted()).toEqual(
    [
      `account ${account(paid)} has 50, its transfers sum to 60`,
      `account ${account(other.bank)} has -50, its transfers sum to -60`,
    ].toSorted(),
  )
  await admin.end()
  await pool.end()
  await other.close()
})

test('payments during a check, of any history and with transactions that commit late, are no difference', async () => {
  const shops = [merchant, await world.funded('merchant', 5_000n), await world.funded('merchant', 5_000n)]
  const kinds = fc.sample(
    fc.record({ from: fc.nat(2), to: fc.nat(2), amount: fc.bigInt(1n, 20n), age: fc.nat(300) }),
    300,
  )
  const late = await connect(checkPool.options.connectionString ?? '')
  let posted = 0
  const ending = new AbortController()
  const posting = (async () => {
    for (let i = 0; !ending.signal.aborted; i++) {
      const { from, to, amount, age } = kinds[i % kinds.length]!
      if (from === to) continue
      const id = idBefore(age * 60_000)
      await world.ledger
        .post(world.journal(world.move(shops[from]!, shops[to]!, amount), { id }))
        .catch(() => undefined)
      posted++
    }
  })()
  for (let round = 0; round < 6; round++) {
    // It begins before a check, with an id of an hour or of 100 days ago, and commits between two of its steps, or after it.
    const id = idBefore(round % 2 === 0 ? hourMs : 100 * dayMs)
    await late.query('begin')
    const [journal, , transfer] = byHand(id, world.bookId, voucher, merchant, 3)
    await late.query(journal!)
    const job = createJob()
    nowMs += round % 2 === 0 ? hourMs + 1 : 7 * dayMs
    const commitLate = (): Promise<unknown> => late.query(`${transfer}; commit`)
    const commitsDuring = round < 4
    for (let steps = 0; await job.run(); steps++) if (commitsDuring && steps === 1) await commitLate()
    if (!commitsDuring) await commitLate()
    await checkRecent()
  }
  ending.abort()
  await posting
  await late.end()
  expect(posted).toBeGreaterThan(20)
  expect(alerts.map(describeDifference)).toEqual([])
  await checkAll()
  expect(alerts.map(describeDifference)).toEqual([])
  expect(await world.faults()).toEqual([])
})

test('a killed worker is continued by another one, and nothing is added twice', async () => {
  for (let i = 0; i < 30; i++) await payBefore(oldMs + i * dayMs)
  nowMs += 7 * dayMs
  let steps = 0
  for (;;) {
    const other = createPool(checkPool.options.connectionString ?? '', 1)
    const own = createLeases(checkPool.options.connectionString ?? '')
    const run = createJob({ checkPool: other, leases: own }).run()
    // Its connections are closed in the middle of every second step.
    if (steps++ % 2 === 0)
      await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%ledger_check_step%' and pid <> pg_backend_pid()`,
      )
    const hasMore = await run.catch(() => true)
    await own.close().catch(() => undefined)
    await other.end()
    if (!hasMore) break
  }
  expect(steps).toBeGreaterThan(4)
  expect(alerts.map(describeDifference)).toEqual([])
  expect(await findRunningCheck(checkPool)).toBeUndefined()
  expect((await readVerification(checkPool, clock())).fullAgeS).toBe(0)
})

test('a timeout is counted and tried again', async () => {
  await checkRecent()
  const before = await readVerification(checkPool, clock())
  nowMs += hourMs + 1
  const job = createJob()
  expect(await job.run()).toBe(true)
  await owner.query('begin; lock table ledger_check_sums')
  const failing = job.run()
  await owner.query(
    `select pg_sleep(0.3); select pg_cancel_backend(pid) from pg_stat_activity where query like '%ledger_check_step%' and pid <> pg_backend_pid()`,
  )
  await expect(failing).rejects.toThrow('canceling statement')
  await owner.query('commit')
  expect((await readVerification(checkPool, clock())).failures).toBe(before.failures + 1)
  await finishChecks(job)
  expect(await readVerification(checkPool, clock())).toMatchObject({ recentAgeS: 0, openDifferences: 0 })
})

test('while one worker checks, another one does not', async () => {
  nowMs += hourMs + 1
  const own = createLeases(checkPool.options.connectionString ?? '')
  expect(await own.claim('ledger checks')).toBe(true)
  expect(await createJob().run()).toBe(false)
  await own.close()
  expect(await createJob().run()).toBe(true)
  await finishChecks()
})

test('sums that a crash of PostgreSQL emptied are computed again', async () => {
  await checkRecent()
  nowMs += hourMs + 1
  expect(await createJob().run()).toBe(true)
  await owner.query('truncate ledger_check_sums')
  await finishChecks()
  expect(alerts).toEqual([])
  expect(await readVerification(checkPool, clock())).toMatchObject({ recentAgeS: 0, fullAgeS: 0 })
})

test('a difference stays until an operator acknowledges it, and a failed alert is sent again', async () => {
  await payBefore(recentMs)
  await checkRecent()
  await withRestored(async () => {
    await plant(`update ledger_accounts set balance = balance + 4 where ${where(voucher)}`)
    nowMs += hourMs + 1
    const failing = createJob({ alertDifference: () => Promise.reject(new Error('no network')) })
    await expect(finishChecks(failing)).rejects.toThrow('no network')
    await finishChecks()
    expect(alerts).toHaveLength(1)
    expect((await readVerification(checkPool, clock())).openDifferences).toBe(1)
    const [open] = await listOpenDifferences(checkPool)
    await expect(acknowledgeDifference(checkPool, open!.id, 'mine', clock())).rejects.toThrow('permission denied')
    expect(await acknowledgeDifference(owner, open!.id, 'set by hand', clock())).toBe(true)
    expect(await acknowledgeDifference(owner, open!.id, 'again', clock())).toBe(false)
    expect(await listOpenDifferences(checkPool)).toEqual([])
    await checkRecent()
    expect(alerts).toHaveLength(1)
  })
})

test("the server's role can neither write sums nor remove a difference", async () => {
  for (const attack of [
    'delete from ledger_differences',
    `insert into ledger_check_sums values (true, gen_random_uuid(), 'wallet', 1, 1, 1)`,
    'update ledger_checks set finished_at = started_at',
    `select ledger_check_begin('2026-01-01')`,
  ])
    await expect(checkPool.query(attack), attack).rejects.toThrow('permission denied')
})
