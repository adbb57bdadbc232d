import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { atDatabase } from '../../local/parts/database.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { startProxy } from '../../local/test/proxy.ts'
import { connect } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { sql } from '../base/sql.ts'
import { defineTable } from '../base/table.ts'
import { documentOf } from './document.ts'
import { ensureBook } from './book.ts'
import { exchange } from './exchange.ts'
import type { Account } from './account.ts'
import { digest, type HoldAct } from './journal.ts'
import { findPosted } from './store.ts'
import { openLedger } from './post.ts'

let world: LedgerWorld
let ownerUrl: string
const note = documentOf(defineTable('test_notes', { id: sql.uuid, text: sql.text }))

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
  test('posts all of its transfers, documents and events, or nothing', async () => {
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
      facts: { account: voucher, available: 100n, needed: 101n },
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
    // Sequence 2: the voucher was funded by one journal and spent by this one.
    const expected = { type: 'test.happened', object_id: voucher.ownerId, sequence: 2n, payload: { amount: '97' } }
    expect(events.rows).toEqual([expected])
  })

  test('posts the first alternative that fits, with its documents', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const admin = await world.funded('merchant_admin', 1n, merchant.ownerId)
    const fee = await world.open('fee', merchant.ownerId)
    const redeem = () => {
      const adminPays = world.newId()
      const voucherPays = world.newId()
      return {
        voucherPays,
        journal: world.journal([
          {
            transfers: [
              { from: voucher, to: merchant, amount: 4n },
              { from: admin, to: fee, amount: 1n },
            ],
            documents: [note({ id: adminPays, text: 'admin' })],
          },
          {
            transfers: [
              { from: voucher, to: merchant, amount: 4n },
              { from: voucher, to: fee, amount: 1n },
            ],
            documents: [note({ id: voucherPays, text: 'voucher' })],
          },
        ]),
      }
    }
    const [first, second, third] = [redeem(), redeem(), redeem()]
    expect(await world.ledger.post(first.journal)).toMatchObject({ alternative: 0 })
    expect(await world.ledger.post(second.journal)).toMatchObject({ alternative: 1 })
    const { rowCount } = await world.pool.query('select from test_notes where id = $1', [second.voucherPays])
    expect(rowCount).toBe(1)
    // The error is that of the last alternative, which the caller can fix.
    await expect(world.ledger.post(third.journal)).rejects.toMatchObject({
      facts: { account: voucher, available: 1n, needed: 5n },
    })
    expect([await world.balanceOf(voucher), await world.balanceOf(admin), await world.balanceOf(fee)]).toEqual([
      1n,
      0n,
      2n,
    ])
  })

  test("in two currencies is balanced in each book by the merchant's exchange accounts", async () => {
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

  test('is refused if an account is missing, closed or blocked for debits', async () => {
    const voucher = await world.funded('voucher', 5n)
    const merchant = await world.open('merchant')
    const missing = world.account('merchant')
    const post = (from = voucher, to = merchant) => world.ledger.post(world.journal(world.move(from, to, 1n)))
    await expect(post(voucher, missing)).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_MISSING' })
    await expect(post(missing, merchant)).rejects.toMatchObject({ code: 'LEDGER_ACCOUNT_MISSING' })
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

  test('that can never be valid is rejected before it joins a batch', async () => {
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

  test("does not wait for another merchant's: fee, rounding and exchange accounts are one per merchant", async () => {
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
    // All accounts that a redemption at one merchant touches, apart from the voucher and the treasury.
    const locked = await blocker.query(
      `select from ledger_accounts where (owner_id, kind) in
        (select to_owner, to_kind from ledger_transfers where journal_id = $1
         union select from_owner, from_kind from ledger_transfers where journal_id = $1 and from_kind = 'exchange') for update`,
      [one.id],
    )
    expect(locked.rowCount).toBe(5)
    // The blocker keeps its locks until this is posted.
    await world.ledger.post(another)
    await blocker.end()
  })
})

describe('a key', () => {
  test('posts once; a retry returns the same result, before any rule is checked', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const build = () =>
      world.journal(world.move(voucher, merchant, 10n), { key: `k/${voucher.ownerId}`, requestFingerprint: '10' })
    const first = await world.ledger.post(build())
    // The voucher is empty now, so a rule would refuse.
    const again = await world.ledger.post(build())
    expect(again).toEqual({ ...first, replayed: true })
    // A closed account does not change the result either.
    await world.pool.query(`update ledger_accounts set state = 'closed' where owner_id = $1`, [voucher.ownerId])
    expect(await world.ledger.post(build())).toEqual({ ...first, replayed: true })
    expect(await findPosted(world.pool, `k/${voucher.ownerId}`, '10')).toEqual({ ...first, replayed: true })
    expect(await world.balanceOf(merchant)).toBe(10n)
  })

  test('with another fingerprint is a conflict', async () => {
    const voucher = await world.funded('voucher', 10n)
    const merchant = await world.open('merchant')
    const build = (amount: bigint) =>
      world.journal(world.move(voucher, merchant, amount), {
        key: `k/${voucher.ownerId}`,
        requestFingerprint: String(amount),
      })
    await world.ledger.post(build(1n))
    await expect(world.ledger.post(build(2n))).rejects.toMatchObject({ code: 'LEDGER_KEY_CONFLICT', kind: 'conflict' })
    await expect(findPosted(world.pool, `k/${voucher.ownerId}`, '2')).rejects.toMatchObject({
      code: 'LEDGER_KEY_CONFLICT',
    })
    expect(await findPosted(world.pool, 'k/never', '2')).toBeUndefined()
  })

  test('of a refused journal can be used again', async () => {
    const voucher = await world.open('voucher')
    const merchant = await world.open('merchant')
    const build = () =>
      world.journal(world.move(voucher, merchant, 1n), { key: `k/${voucher.ownerId}`, requestFingerprint: '1' })
    await expect(world.ledger.post(build())).rejects.toMatchObject({ code: 'LEDGER_INSUFFICIENT' })
    await world.fund(voucher, 1n)
    expect(await world.ledger.post(build())).toMatchObject({ replayed: false })
  })

  test('sent 50 times at once from two ledgers posts once, and all calls return the same journal', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const voucher = await world.funded('voucher', 10n)
      const merchant = await world.open('merchant')
      const build = () =>
        world.journal(world.move(voucher, merchant, 7n), { key: `k/${voucher.ownerId}`, requestFingerprint: '7' })
      const results = await Promise.all(times(50, (i) => (i % 2 ? world.ledger : other).post(build())))
      expect(new Set(results.map(({ journalId }) => journalId)).size).toBe(1)
      expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(await world.balanceOf(merchant)).toBe(7n)
    }
    await other.close()
  })

  test('used by two concurrent requests without a common account posts one, the other is a conflict', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const key = `k/${world.newId()}`
      const build = async () => {
        const merchant = await world.open('merchant')
        return world.journal(world.move(await world.funded('voucher', 1n), merchant, 1n), {
          key,
          requestFingerprint: merchant.ownerId,
        })
      }
      const [one, two] = [await build(), await build()]
      const codes = await outcomes([world.ledger.post(one), other.post(two)])
      expect(codes.toSorted()).toEqual(['LEDGER_KEY_CONFLICT', 'posted'])
    }
    await other.close()
  })
})

describe('a batch', () => {
  test('lets one of 40 journals spend the last unit and refuses the others as insufficient', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const voucher = await world.funded('voucher', 1n)
      const merchant = await world.open('merchant')
      const codes = await outcomes(
        times(40, (i) => (i % 2 ? world.ledger : other).post(world.journal(world.move(voucher, merchant, 1n)))),
      )
      expect(codes.filter((code) => code === 'posted')).toHaveLength(1)
      expect(codes.filter((code) => code === 'LEDGER_INSUFFICIENT')).toHaveLength(39)
    }
    await other.close()
  })

  test('with one bad journal is split until only that journal fails', async () => {
    const voucher = await world.funded('voucher', 100n)
    const merchant = await world.open('merchant')
    const splitsBefore = world.ledger.stats.splits
    const codes = await outcomes(
      times(64, (i) =>
        world.ledger.post(
          world.journal({
            ...world.move(voucher, merchant, 1n),
            documents: [note({ id: world.newId(), text: i === 40 ? 'bad' : 'good' })],
          }),
        ),
      ),
    )
    expect(codes.filter((code) => code === 'posted')).toHaveLength(63)
    expect(codes[40]).toBe('23514')
    expect(world.ledger.stats.splits).toBeGreaterThan(splitsBefore)
    expect(await world.balanceOf(merchant)).toBe(63n)
  })

  test('does not deadlock with another that has the same accounts in the opposite order', async () => {
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

  test('does not deadlock with another that has the same keys in the opposite order', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    const blocker = await connect(ownerUrl)
    const createBuilder = async () => {
      const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
      return (key: string) =>
        world.journal(world.move(voucher, merchant, 1n), { key, requestFingerprint: merchant.ownerId })
    }
    const [one, two] = [await createBuilder(), await createBuilder()]
    for (let round = 0; round < 3; round++) {
      const [first, middle, otherMiddle, last] = times(4, () => `k/${world.newId()}`) as [
        string,
        string,
        string,
        string,
      ]
      // Stops each batch half-way through its keys until both have arrived.
      await blocker.query('begin')
      for (const key of [middle, otherMiddle])
        await blocker.query(`insert into ledger_journals values ($1, $2, $2, 'test.block', 0, '2026-01-01')`, [
          world.newId(),
          digest(key),
        ])
      const codes = outcomes([
        ...[first, middle, last].map((key) => world.ledger.post(one(key))),
        ...[last, otherMiddle, first].map((key) => other.post(two(key))),
      ])
      await sleep(100)
      await blocker.query('rollback')
      expect((await codes).toSorted()).toEqual([
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

  test('opens an account once when two ledgers need it at the same time', async () => {
    const other = openLedger({ url: world.url, clock: world.clock, newId: world.newId })
    for (let round = 0; round < 20; round++) {
      const vouchers = await Promise.all(times(6, () => world.funded('voucher', 1n)))
      const fee = world.account('fee')
      const codes = await outcomes(
        vouchers.map((voucher, i) =>
          (i % 2 ? world.ledger : other).post(world.journal({ ...world.move(voucher, fee, 1n), open: [fee] })),
        ),
      )
      expect(codes).toEqual(times(6, () => 'posted'))
      expect(await world.balanceOf(fee)).toBe(6n)
    }
    await other.close()
  })
})

describe('failures', () => {
  // The merchant is older than the voucher, so it is locked first: a journal that waited for the voucher while holding the
  // merchant's lock would delay all other journals of that merchant.
  test('a lock held elsewhere delays only the journals that touch that account', async () => {
    const merchant = await world.open('merchant')
    const [stuck, free] = [await world.funded('voucher', 100n), await world.funded('voucher', 200n)]
    const blocker = await connect(ownerUrl)
    await blocker.query('begin')
    await blocker.query('select from ledger_accounts where owner_id = $1 for update', [stuck.ownerId])
    let ended = 0
    const postStuck = () => world.ledger.post(world.journal(world.move(stuck, merchant, 1n))).finally(() => ended++)
    const waiting = [postStuck()]
    for (let i = 0; i < 60; i++) {
      await world.ledger.post(world.journal(world.move(free, merchant, 1n)))
      // More journals for the stuck account keep arriving; they must not delay the others either.
      if (i % 5 === 0) waiting.push(postStuck())
    }
    // If each of the others had waited until the account was found to be stuck, these would have given up by now.
    expect(ended).toBe(0)
    await blocker.query('rollback')
    expect((await Promise.all(waiting)).every(({ replayed }) => !replayed)).toBe(true)
    expect(await world.balanceOf(merchant)).toBe(BigInt(60 + waiting.length))
    await blocker.end()
  })

  test('a new account that another transaction has not committed yet delays only the journal that needs it', async () => {
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
    const postNeighbours = async (): Promise<void> => {
      await Promise.all(times(20, () => ledger.post(world.journal(world.move(free, merchant, 1n)))))
      await ledger.post(world.journal(world.move(free, merchant, 1n)))
    }
    await postNeighbours()
    const wanting = ledger.post(world.journal({ ...world.move(voucher, fee, 1n), open: [fee] }))
    // The other transaction is still open, and a journal that waits for it gives up after 12 s.
    await postNeighbours()
    await blocker.query('commit')
    await blocker.end()
    expect(await wanting).toMatchObject({ replayed: false })
    await ledger.close()
  })

  test('a lock that is never released ends in LEDGER_BUSY with nothing posted', async () => {
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

  // A hold makes the batch go the careful way. Statements are prepared before the fault, so that it strikes the batch itself.
  const ways = [
    { way: 'in one round', at: 'ledger_insert_transfers', holds: () => [] },
    {
      way: 'the careful way',
      at: 'commit',
      holds: (account: Account): HoldAct[] => [
        { act: 'reserve', holdId: world.newId(), account, amount: 1n, expiresAt: new Date('2027-01-01') },
      ],
    },
  ]

  test.each(ways)(
    'if the response to a commit $way is lost, the journal is found by its key and reported as posted',
    async ({ at, holds }) => {
      const proxy = await startProxy(world.url)
      const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
      const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
      await ledger.post(world.journal(world.move(voucher, merchant, 1n)))
      proxy.arm({ at, kind: 'lose_answer' })
      const journal = world.journal({ ...world.move(voucher, merchant, 1n), holds: holds(voucher) })
      expect(await ledger.post(journal)).toMatchObject({ replayed: false })
      expect([proxy.faults(), await world.balanceOf(merchant)]).toEqual([1, 2n])
      await ledger.close()
      proxy.close()
    },
  )

  test.each(ways)(
    'a journal in doubt $way is reported as OUTCOME_UNKNOWN even if the next attempt fails otherwise',
    async ({ at, holds }) => {
      const proxy = await startProxy(world.url)
      const owner = await connect(ownerUrl)
      const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
      const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
      await ledger.post(world.journal(world.move(voucher, merchant, 1n)))
      const journal = world.journal({ ...world.move(voucher, merchant, 1n), holds: holds(voucher) })
      proxy.arm({
        at,
        kind: 'lose_answer',
        then: () => owner.query('revoke select on ledger_accounts from scrip_server'),
      })
      await expect(ledger.post(journal)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', kind: 'unavailable' })
      await owner.query('grant select on ledger_accounts to scrip_server')
      // It was posted: a retry with the same key finds it.
      expect(await ledger.post({ ...journal, id: world.newId() })).toMatchObject({
        journalId: journal.id,
        replayed: true,
      })
      await ledger.close()
      await owner.end()
      proxy.close()
    },
  )

  test('the locks of a process that loses its connection inside a batch are released before others give up', async () => {
    const proxy = await startProxy(world.url)
    const ledger = openLedger({ url: proxy.url, clock: world.clock, newId: world.newId, lanes: 1 })
    const [voucher, merchant] = [await world.funded('voucher', 10n), await world.open('merchant')]
    await ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    proxy.arm({ at: 'ledger_insert_journals', kind: 'freeze' })
    const cutOff = ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    await sleep(500)
    await world.ledger.post(world.journal(world.move(voucher, merchant, 1n)))
    // The disconnected process reconnects and posts once.
    expect(await cutOff).toMatchObject({ replayed: false })
    expect(await world.balanceOf(merchant)).toBe(3n)
    await ledger.close()
    proxy.close()
  })

  test('killing connections under load neither loses nor duplicates journals, and every caller gets a response', async () => {
    const merchant = await world.open('merchant')
    const vouchers = await Promise.all(times(300, () => world.funded('voucher', 1n)))
    const killer = await connect(atDatabase(inject('adminUrl'), new URL(world.url).pathname.slice(1)))
    const done = new AbortController()
    let kills = 0
    const killing = (async () => {
      // Stop after 12 rounds: a machine that needs 60 ms per batch would never complete one.
      for (let round = 0; round < 12 && !done.signal.aborted; round++) {
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
    const results = await Promise.all(posts)
    done.abort()
    await killing
    await killer.end()
    expect(kills).toBeGreaterThan(5)
    expect(results.every(({ replayed }) => !replayed)).toBe(true)
    expect(await world.balanceOf(merchant)).toBe(300n)
  })
})
