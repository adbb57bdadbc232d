import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/database.ts'
import { createTestDatabase } from '../../local/test-database.ts'
import { createLedgerWorld, type LedgerWorld } from '../../local/ledger-world.ts'
import { startProxy } from '../../local/proxy.ts'
import { connect } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { defineDocument } from './document.ts'
import { ensureBook } from './book.ts'
import { exchange } from './exchange.ts'
import { digest } from './journal.ts'
import { findPosted } from './store.ts'
import { openLedger } from './post.ts'

let world: LedgerWorld
let ownerUrl: string
const note = defineDocument('test_notes', { id: 'uuid', text: 'text' })

beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  const owner = await connect(ownerUrl)
  await owner.query('create table test_notes (id uuid primary key, text text not null check (text <> $$bad$$))')
  await owner.query('grant select, insert on test_notes to scrip_server')
  await owner.end()
  world = await createLedgerWorld(database.url)
})
afterEach(async () => expect(await world.faults()).toEqual([]))
afterAll(() => world.close())

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const outcomes = async (posts: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(posts)).map((result) =>
    result.status === 'fulfilled' ? 'posted' : String((result.reason as { code?: string }).code),
  )

describe('a journal', () => {
  test('moves money whole: all of its transfers, documents and events, or nothing', async () => {
    const voucher = await world.funded('voucher', 100n)
    const merchant = await world.open('merchant')
    const fee = await world.open('fee', merchant.ownerId)
    const id = world.newId()
    const environmentId = world.newId()
    const posting = (amount: bigint) => ({
      transfers: [
        { from: voucher, to: merchant, amount },
        { from: voucher, to: fee, amount: 3n },
      ],
      documents: [note({ id, text: 'it, has {"quotes"} and \\ backslashes' })],
      events: [{ type: 'test.happened', environmentId, about: voucher, data: { amount: String(amount) } }],
    })
    await expect(world.ledger.post(world.journal(posting(98n)))).rejects.toMatchObject({
      code: 'LEDGER_INSUFFICIENT',
      details: { account: voucher, available: 100n, needed: 101n },
    })
    expect((await world.pool.query('select from test_notes where id = $1', [id])).rowCount).toBe(0)

    const posted = await world.ledger.post(world.journal(posting(97n)))
    expect(posted).toMatchObject({ alternative: 0, replayed: false, postedAt: world.clock() })
    expect([await world.balanceOf(voucher), await world.balanceOf(merchant), await world.balanceOf(fee)]).toEqual([
      0n,
      97n,
      3n,
    ])
    const notes = await world.pool.query('select text from test_notes where id = $1', [id])
    expect(notes.rows).toEqual([{ text: 'it, has {"quotes"} and \\ backslashes' }])
    const events = await withEnvironment(world.pool, environmentId, (tx) =>
      tx.query('select type, object_id, sequence, payload from ledger_outbox where journal_id = $1', [
        posted.journalId,
      ]),
    )
    // It was funded, and now spent: the second journal that moves it.
    const told = { type: 'test.happened', object_id: voucher.ownerId, sequence: 2n, payload: { amount: '97' } }
    expect(events.rows).toEqual([told])
  })

  test('posts the first of its alternatives that fits, with the documents of that one', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const admin = await world.funded('merchant_admin', 1n, merchant.ownerId)
    const fee = await world.open('fee', merchant.ownerId)
    const redeem = () => {
      const [adminBears, voucherBears] = [world.newId(), world.newId()]
      return {
        voucherBears,
        journal: world.journal([
          {
            transfers: [
              { from: voucher, to: merchant, amount: 4n },
              { from: admin, to: fee, amount: 1n },
            ],
            documents: [note({ id: adminBears, text: 'admin' })],
          },
          {
            transfers: [
              { from: voucher, to: merchant, amount: 4n },
              { from: voucher, to: fee, amount: 1n },
            ],
            documents: [note({ id: voucherBears, text: 'voucher' })],
          },
        ]),
      }
    }
    const [first, second, third] = [redeem(), redeem(), redeem()]
    expect(await world.ledger.post(first.journal)).toMatchObject({ alternative: 0 })
    expect(await world.ledger.post(second.journal)).toMatchObject({ alternative: 1 })
    const { rowCount } = await world.pool.query('select from test_notes where id = $1', [second.voucherBears])
    expect(rowCount).toBe(1)
    // The last alternative's reason is the one that the caller can do something about.
    await expect(world.ledger.post(third.journal)).rejects.toMatchObject({
      details: { account: voucher, available: 1n, needed: 5n },
    })
    expect([await world.balanceOf(voucher), await world.balanceOf(admin), await world.balanceOf(fee)]).toEqual([
      1n,
      0n,
      2n,
    ])
  })

  test('in two currencies is balanced in each book through the exchange accounts of the merchant', async () => {
    const eur = await ensureBook(world.pool, 'test', 'EUR')
    const voucher = await world.funded('voucher', 1000n)
    const merchantId = world.newId()
    const payee = world.account('merchant', merchantId, eur)
    const { transfers, open } = exchange(
      merchantId,
      { account: voucher, amount: 1000n },
      { account: payee, amount: 920n },
    )
    await world.ledger.post(world.journal({ transfers, open: [...open, payee] }))
    expect(await world.balanceOf(payee)).toBe(920n)
    expect(await world.balanceOf(world.account('exchange', merchantId))).toBe(1000n)
    expect(await world.balanceOf(world.account('exchange', merchantId, eur))).toBe(-920n)
  })

  test('that names an account which is not there, closed, or not to be debited is refused', async () => {
    const voucher = await world.funded('voucher', 5n)
    const merchant = await world.open('merchant')
    const nobody = world.account('merchant')
    const post = (from = voucher, to = merchant) => world.ledger.post(world.journal(world.move(from, to, 1n)))
    await expect(post(voucher, nobody)).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_MISSING' })
    await expect(post(nobody, merchant)).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_MISSING' })
    const setState = (state: string, owner: string) =>
      world.pool.query('update ledger_accounts set state = $1 where owner_id = $2', [state, owner])
    await setState('no_debit', voucher.ownerId)
    await expect(post()).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_NO_DEBIT' })
    await world.fund(voucher, 1n)
    await setState('closed', merchant.ownerId)
    await setState('open', voucher.ownerId)
    await expect(post()).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_CLOSED' })
    expect(await world.balanceOf(voucher)).toBe(6n)
  })

  test('that no ledger could accept is told at once, and never travels with others', async () => {
    const voucher = world.account('voucher')
    const merchant = world.account('merchant')
    const other = { ...merchant, bookId: merchant.bookId + 1 }
    for (const posting of [
      { transfers: [] },
      world.move(voucher, merchant, 0n),
      world.move(voucher, merchant, -5n),
      world.move(voucher, voucher, 5n),
      world.move(voucher, other, 5n),
      world.move(voucher, { ...merchant, ownerId: `${merchant.ownerId},${merchant.ownerId}` }, 5n),
      { transfers: [], holds: [{ act: 'settle' as const, holdId: world.newId(), account: voucher, amount: 1n }] },
    ])
      await expect(world.ledger.post(world.journal(posting))).rejects.toMatchObject({ code: 'LEDGER_JOURNAL_INVALID' })
    const taken = world.journal(world.move(voucher, merchant, 5n), { key: `hold.expire/${world.newId()}` })
    await expect(world.ledger.post(taken)).rejects.toMatchObject({ code: 'LEDGER_JOURNAL_INVALID' })
  })

  test('of two merchants never wait for each other: fee, rounding and exchange accounts are one per merchant', async () => {
    const redeem = async () => {
      const voucher = await world.funded('voucher', 10n)
      const merchantId = world.newId()
      const [merchant, fee] = [world.account('merchant', merchantId), world.account('fee', merchantId)]
      const { transfers, open } = exchange(
        merchantId,
        { account: voucher, amount: 5n },
        { account: world.account('merchant', merchantId, await ensureBook(world.pool, 'test', 'EUR')), amount: 4n },
      )
      return world.journal({
        transfers: [{ from: voucher, to: merchant, amount: 2n }, { from: voucher, to: fee, amount: 1n }, ...transfers],
        open: [merchant, fee, ...open, transfers[1]!.to],
      })
    }
    const [one, another] = [await redeem(), await redeem()]
    const blocker = await connect(ownerUrl)
    await world.ledger.post(one)
    await blocker.query('begin')
    // Every account that a redemption at the one merchant has touched, apart from the voucher and the outside world.
    const locked = await blocker.query(
      `select from ledger_accounts where (owner_id, kind) in
        (select to_owner, to_kind from ledger_transfers where journal_id = $1
         union select from_owner, from_kind from ledger_transfers where journal_id = $1 and from_kind = 'exchange') for update`,
      [one.id],
    )
    expect(locked.rowCount).toBe(5)
    const start = performance.now()
    await world.ledger.post(another)
    expect(performance.now() - start).toBeLessThan(300)
    await blocker.end()
  })
})

describe('a key', () => {
  test('posts once; a repeat is answered as the first was, before any rule is asked', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const ask = () => world.journal(world.move(voucher, merchant, 10n), { key: `k/${voucher.ownerId}`, asked: '10' })
    const first = await world.ledger.post(ask())
    // The voucher is empty now, and a rule would refuse.
    const again = await world.ledger.post(ask())
    expect(again).toEqual({ ...first, replayed: true })
    // Nor does a closed account change the answer.
    await world.pool.query(`update ledger_accounts set state = 'closed' where owner_id = $1`, [voucher.ownerId])
    expect(await world.ledger.post(ask())).toEqual({ ...first, replayed: true })
    expect(await findPosted(world.pool, `k/${voucher.ownerId}`, '10')).toEqual({ ...first, replayed: true })
    expect(await world.balanceOf(merchant)).toBe(10n)
  })

  test('with another question is a conflict, now and for ever', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const ask = (amount: bigint) =>
      world.journal(world.move(voucher, merchant, amount), { key: `k/${voucher.ownerId}`, asked: String(amount) })
    await world.ledger.post(ask(1n))
    await expect(world.ledger.post(ask(2n))).rejects.toMatchObject({ code: 'LEDGER_KEY_CONFLICT', kind: 'conflict' })
    await expect(findPosted(world.pool, `k/${voucher.ownerId}`, '2')).rejects.toMatchObject({
      code: 'LEDGER_KEY_CONFLICT',
    })
    expect(await findPosted(world.pool, 'k/never', '2')).toBeUndefined()
  })

  test('of a refusal is free: the next attempt is a new one', async () => {
    const voucher = await world.open('voucher')
    const merchant = await world.open('merchant')
    const ask = () => world.journal(world.move(voucher, merchant, 1n), { key: `k/${voucher.ownerId}`, asked: '1' })
    await expect(world.ledger.post(ask())).rejects.toMatchObject({ code: 'LEDGER_INSUFFICIENT' })
    await world.fund(voucher, 1n)
    expect(await world.ledger.post(ask())).toMatchObject({ replayed: false })
  })

  test('sent 50 times at once from two ledgers posts once, and all are told the same', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const voucher = await world.funded('voucher', 10n)
      const merchant = await world.open('merchant')
      const ask = () => world.journal(world.move(voucher, merchant, 7n), { key: `k/${voucher.ownerId}`, asked: '7' })
      const answers = await Promise.all(times(50, (i) => (i % 2 ? world.ledger : other).post(ask())))
      expect(new Set(answers.map(({ journalId }) => journalId)).size).toBe(1)
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(await world.balanceOf(merchant)).toBe(7n)
    }
    await other.close()
  })

  test('raced for by two questions that share no account: one is posted, the other is a conflict', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const key = `k/${world.newId()}`
      const ask = async () => {
        const merchant = await world.open('merchant')
        return world.journal(world.move(await world.funded('voucher', 1n), merchant, 1n), {
          key,
          asked: merchant.ownerId,
        })
      }
      const [one, two] = [await ask(), await ask()]
      const told = await outcomes([world.ledger.post(one), other.post(two)])
      expect(told.toSorted()).toEqual(['LEDGER_KEY_CONFLICT', 'posted'])
    }
    await other.close()
  })
})

describe('a batch', () => {
  test('decides in order of arrival: a race for the last unit has one winner, and the losers are told why', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const voucher = await world.funded('voucher', 1n)
      const merchant = await world.open('merchant')
      const told = await outcomes(
        times(40, (i) => (i % 2 ? world.ledger : other).post(world.journal(world.move(voucher, merchant, 1n)))),
      )
      expect(told.filter((code) => code === 'posted')).toHaveLength(1)
      expect(told.filter((code) => code === 'LEDGER_INSUFFICIENT')).toHaveLength(39)
    }
    await other.close()
  })

  test('is not failed by a bad neighbour: the batch is split until the bad one stands alone', async () => {
    const voucher = await world.funded('voucher', 100n)
    const merchant = await world.open('merchant')
    const splitsBefore = world.ledger.stats.splits
    const told = await outcomes(
      times(64, (i) =>
        world.ledger.post(
          world.journal({
            ...world.move(voucher, merchant, 1n),
            documents: [note({ id: world.newId(), text: i === 40 ? 'bad' : 'good' })],
          }),
        ),
      ),
    )
    expect(told.filter((code) => code === 'posted')).toHaveLength(63)
    expect(told[40]).toBe('23514')
    expect(world.ledger.stats.splits).toBeGreaterThan(splitsBefore)
    expect(await world.balanceOf(merchant)).toBe(63n)
  })

  test('never deadlocks with another that names the same accounts in the opposite order', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId, lanes: 4 })
    const accounts = await Promise.all(times(30, () => world.funded('merchant', 1_000_000n)))
    const pairs = times(1_000, (i) => [accounts[(i * 7) % 30]!, accounts[(i * 11 + 1) % 30]!] as const).filter(
      ([a, b]) => a !== b,
    )
    await Promise.all([
      ...pairs.map(([a, b]) => world.ledger.post(world.journal(world.move(a, b, 1n)))),
      ...pairs.toReversed().map(([a, b]) => other.post(world.journal(world.move(b, a, 1n)))),
    ])
    expect(world.ledger.stats.deadlocks + other.stats.deadlocks).toBe(0)
    await other.close()
  })

  test('never waits in a circle with another that posts the same keys in the opposite order', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    const blocker = await connect(ownerUrl)
    const asks = async () => {
      const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
      return (key: string) => world.journal(world.move(voucher, merchant, 1n), { key, asked: merchant.ownerId })
    }
    const [one, two] = [await asks(), await asks()]
    for (let round = 0; round < 3; round++) {
      const [first, middle, otherMiddle, last] = times(4, () => `k/${world.newId()}`) as [
        string,
        string,
        string,
        string,
      ]
      // Stops each batch half-way through its keys, until both are there.
      await blocker.query('begin')
      for (const key of [middle, otherMiddle])
        await blocker.query(`insert into ledger_journals values ($1, $2, $2, 'test.block', 0, '2026-01-01')`, [
          world.newId(),
          digest(key),
        ])
      const told = outcomes([
        ...[first, middle, last].map((key) => world.ledger.post(one(key))),
        ...[last, otherMiddle, first].map((key) => other.post(two(key))),
      ])
      await sleep(100)
      await blocker.query('rollback')
      expect((await told).toSorted()).toEqual([
        'LEDGER_KEY_CONFLICT',
        'LEDGER_KEY_CONFLICT',
        ...times(4, () => 'posted'),
      ])
    }
    await blocker.end()
    expect([world.ledger.stats, other.stats].map(({ deadlocks, lockTimeouts }) => deadlocks + lockTimeouts)).toEqual([
      0, 0,
    ])
    await other.close()
  })

  test('opens an account once when two ledgers need it at the same moment', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const vouchers = await Promise.all(times(6, () => world.funded('voucher', 1n)))
      const fee = world.account('fee')
      const told = await outcomes(
        vouchers.map((voucher, i) =>
          (i % 2 ? world.ledger : other).post(world.journal({ ...world.move(voucher, fee, 1n), open: [fee] })),
        ),
      )
      expect(told).toEqual(times(6, () => 'posted'))
      expect(await world.balanceOf(fee)).toBe(6n)
    }
    await other.close()
  })
})

describe('trouble', () => {
  // The merchant is older than the voucher, so it comes first in the order of locks: whoever waited for the voucher with
  // the merchant locked would hold up everybody at that merchant.
  test('a lock that somebody else holds for 5 s delays only the journals that touch that account', async () => {
    const merchant = await world.open('merchant')
    const [stuck, free] = [await world.funded('voucher', 100n), await world.funded('voucher', 100n)]
    const blocker = await connect(ownerUrl)
    await blocker.query('begin')
    await blocker.query('select from ledger_accounts where owner_id = $1 for update', [stuck.ownerId])
    const start = performance.now()
    const waiting = [world.ledger.post(world.journal(world.move(stuck, merchant, 1n)))]
    const delaysMs: number[] = []
    while (performance.now() - start < 4_500) {
      const sent = performance.now()
      await world.ledger.post(world.journal(world.move(free, merchant, 1n)))
      delaysMs.push(performance.now() - sent)
      // Others that touch it go on arriving; they must not hold up the rest either.
      if (delaysMs.length % 5 === 0) waiting.push(world.ledger.post(world.journal(world.move(stuck, merchant, 1n))))
      if (delaysMs.length === 90) break
      await sleep(40)
    }
    // None waits for the lock, which is held for longer than that. The first has to find out that the account is stuck.
    expect(Math.max(...delaysMs)).toBeLessThan(2_000)
    expect(delaysMs.toSorted((a, b) => a - b)[Math.floor(delaysMs.length * 0.9)]).toBeLessThan(400)
    await sleep(5_000 - (performance.now() - start))
    await blocker.query('rollback')
    expect((await Promise.all(waiting)).every(({ replayed }) => !replayed)).toBe(true)
    expect(await world.balanceOf(merchant)).toBe(BigInt(delaysMs.length + waiting.length))
    await blocker.end()
  })

  test('a key or a new account that somebody else is about to commit delays only the journal that wants it', async () => {
    const merchant = await world.open('merchant')
    const [voucher, free] = [await world.funded('voucher', 100n), await world.funded('voucher', 100n)]
    const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId, lanes: 1 })
    const fee = world.account('fee')
    const blocker = await connect(ownerUrl)
    await blocker.query('begin')
    await blocker.query(
      `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative) values ($1, $2, 'fee', false)`,
      [fee.bookId, fee.ownerId],
    )
    const wanting = ledger.post(world.journal({ ...world.move(voucher, fee, 1n), open: [fee] }))
    const neighbours = times(20, () => ledger.post(world.journal(world.move(free, merchant, 1n))))
    const start = performance.now()
    await Promise.all(neighbours)
    await ledger.post(world.journal(world.move(free, merchant, 1n)))
    expect(performance.now() - start).toBeLessThan(4_000)
    await blocker.query('commit')
    await blocker.end()
    expect(await wanting).toMatchObject({ replayed: false })
    await ledger.close()
  })

  test('a lock that is never given back ends in BUSY, and nothing was posted', async () => {
    const stuck = await world.funded('voucher', 100n)
    const merchant = await world.open('merchant')
    const blocker = await connect(ownerUrl)
    await blocker.query('begin')
    await blocker.query('select from ledger_accounts where owner_id = $1 for update', [stuck.ownerId])
    await expect(world.ledger.post(world.journal(world.move(stuck, merchant, 1n)))).rejects.toMatchObject({
      code: 'LEDGER_BUSY',
      kind: 'unavailable',
    })
    await blocker.end()
    expect(await world.balanceOf(merchant)).toBe(0n)
  })

  test('an answer to COMMIT that is lost is found out by the key, and told as posted', async () => {
    const proxy = await startProxy(world.url)
    const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
    const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
    proxy.arm({ at: 'commit', kind: 'lose_answer' })
    expect(await ledger.post(world.journal(world.move(voucher, merchant, 1n)))).toMatchObject({ replayed: false })
    expect([proxy.faults(), await world.balanceOf(merchant)]).toEqual([1, 1n])
    await ledger.close()
    proxy.close()
  })

  test('a journal in doubt is told as unknown, whatever the next attempt runs into', async () => {
    const proxy = await startProxy(world.url)
    const owner = await connect(ownerUrl)
    const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
    const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
    const journal = world.journal(world.move(voucher, merchant, 1n))
    proxy.arm({
      at: 'commit',
      kind: 'lose_answer',
      then: () => owner.query('revoke select on ledger_accounts from scrip_server'),
    })
    await expect(ledger.post(journal)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', kind: 'unavailable' })
    await owner.query('grant select on ledger_accounts to scrip_server')
    // It had been posted: asked again with the same key, the answer is there.
    expect(await ledger.post({ ...journal, id: world.newId() })).toMatchObject({
      journalId: journal.id,
      replayed: true,
    })
    await ledger.close()
    await owner.end()
    proxy.close()
  })

  test('a process that is cut off in the middle of a batch gives its locks back within seconds', async () => {
    const proxy = await startProxy(world.url)
    const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
    const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
    await ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    proxy.arm({ at: 'ledger_insert_journals', kind: 'freeze' })
    const cutOff = ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    await sleep(500)
    const start = performance.now()
    await world.ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    expect(performance.now() - start).toBeLessThan(7_000)
    // The one that was cut off finds another way, and posts once.
    expect(await cutOff).toMatchObject({ replayed: false })
    expect(await world.balanceOf(merchant)).toBe(3n)
    await ledger.close()
    proxy.close()
  })

  test('connections killed under load lose nothing, double nothing, and every caller gets his answer', async () => {
    const merchant = await world.open('merchant')
    const vouchers = await Promise.all(times(300, () => world.funded('voucher', 1n)))
    const killer = await connect(atDatabase(inject('adminUrl'), new URL(world.url).pathname.slice(1)))
    const done = new AbortController()
    let kills = 0
    const killing = (async () => {
      while (!done.signal.aborted) {
        const killed = await killer.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where usename = 'scrip_server' and datname = current_database()`)
        kills += killed.rowCount ?? 0
        await sleep(60)
      }
    })()
    const posts = vouchers.map(async (voucher, i) => {
      await sleep(i * 2)
      return world.ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    })
    const told = await Promise.all(posts)
    done.abort()
    await killing
    await killer.end()
    expect(kills).toBeGreaterThan(5)
    expect(told.every(({ replayed }) => !replayed)).toBe(true)
    expect(await world.balanceOf(merchant)).toBe(300n)
  })
})
