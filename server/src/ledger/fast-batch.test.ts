import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLedgerWorld, type LedgerWorld } from '../../local/test/ledger-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { inTransaction } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { Account } from './account.ts'
import type { Event } from './event.ts'
import type { Journal } from './journal.ts'
import { lockAccountsOf } from './lock.ts'
import { type Ledger, openLedger } from './post.ts'
import { setAccountState } from './store.ts'

let world: LedgerWorld
beforeAll(async () => {
  world = await createLedgerWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

async function withLedger<T>(isCareful: boolean, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  // One lane, so that journals of one moment share a batch.
  const ledger = openLedger({ url: world.url, clock: world.clock, newId: world.newId, lanes: 1, isCareful })
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** Posts all in one batch. Returns 'posted', 'replayed' or the code of the error for each. */
async function postTogether(ledger: Ledger, journals: readonly Journal[]): Promise<string[]> {
  const outcomes = await Promise.allSettled(journals.map((journal) => ledger.post(journal)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') return (outcome.reason as { code: string }).code
    return outcome.value.replayed ? 'replayed' : 'posted'
  })
}

test('journals that fit are posted in one round, with accounts that did not exist', async () => {
  const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
  const fee = world.account('fee', merchant.ownerId)
  const journals = Array.from({ length: 20 }, () =>
    world.journal({
      transfers: [
        { from: voucher, to: merchant, amount: 4n },
        { from: voucher, to: fee, amount: 1n },
      ],
      open: [fee],
    }),
  )
  await withLedger(false, async (ledger) => {
    expect(new Set(await postTogether(ledger, journals))).toEqual(new Set(['posted']))
    expect([ledger.stats.batches, ledger.stats.oneRound]).toEqual([1, 1])
  })
  expect([await world.balanceOf(voucher), await world.balanceOf(merchant), await world.balanceOf(fee)]).toEqual([
    0n,
    80n,
    20n,
  ])
})

type Case = {
  readonly title: string
  readonly make: (empty: Account, full: Account, merchant: Account) => Promise<Journal[]> | Journal[]
  readonly outcomes: readonly string[]
}

const cases: readonly Case[] = [
  {
    title: 'one that is not covered',
    make: (empty, full, merchant) => [
      world.journal(world.move(full, merchant, 1n)),
      world.journal(world.move(empty, merchant, 1n)),
      world.journal(world.move(full, merchant, 1n)),
    ],
    outcomes: ['posted', 'LEDGER_INSUFFICIENT', 'posted'],
  },
  {
    title: 'a debit that only a later credit would cover',
    make: (empty, full, merchant) => [
      world.journal(world.move(empty, merchant, 5n)),
      world.journal(world.move(full, empty, 5n)),
    ],
    outcomes: ['LEDGER_INSUFFICIENT', 'posted'],
  },
  {
    title: 'the same request twice, and another one with its key',
    make: (_, full, merchant) => {
      const first = world.journal(world.move(full, merchant, 1n))
      const other = { ...first, id: world.newId(), requestFingerprint: 'another' }
      return [first, { ...first, id: world.newId() }, other]
    },
    outcomes: ['posted', 'replayed', 'LEDGER_KEY_CONFLICT'],
  },
  {
    title: 'a second alternative',
    make: (empty, full, merchant) => [
      world.journal([world.move(empty, merchant, 1n), world.move(full, merchant, 1n)]),
      world.journal(world.move(full, merchant, 1n)),
    ],
    outcomes: ['posted', 'posted'],
  },
  {
    title: 'an account that is missing and not to be opened',
    make: (_, full) => [world.journal(world.move(full, world.account('merchant'), 1n))],
    outcomes: ['LEDGER_ACCOUNT_MISSING'],
  },
  {
    title: 'a blocked account',
    make: async (_, full, merchant) => {
      await inTransaction(world.pool, async (tx) => {
        await lockAccountsOf(tx, [full])
        await setAccountState(tx, full, 'no_debit')
      })
      return [world.journal(world.move(full, merchant, 1n)), world.journal(world.move(world.bank, full, 1n))]
    },
    outcomes: ['LEDGER_ACCOUNT_NO_DEBIT', 'posted'],
  },
  {
    title: 'a hold and what it leaves',
    make: (_, full, merchant) => {
      const hold = { holdId: world.newId(), account: full, amount: 95n, expiresAt: new Date('2027-01-01') }
      return [
        world.journal({ transfers: [], holds: [{ act: 'reserve', ...hold }] }),
        world.journal(world.move(full, merchant, 10n)),
      ]
    },
    outcomes: ['posted', 'LEDGER_INSUFFICIENT'],
  },
]

describe.each([
  { way: 'with one round', isCareful: false },
  { way: 'the careful way', isCareful: true },
])('a batch posted $way', ({ isCareful }) => {
  test.each(cases)('decides $title in order', async ({ make, outcomes }) => {
    const [empty, full, merchant] = [
      await world.open('voucher'),
      await world.funded('voucher', 100n),
      await world.open('merchant'),
    ]
    const journals = await make(empty, full, merchant)
    await withLedger(isCareful, async (ledger) => {
      expect(await postTogether(ledger, journals)).toEqual(outcomes)
      expect(ledger.stats.oneRound).toBe(0)
    })
    expect(await world.faults()).toEqual([])
  })

  test('numbers the events of an account without gaps, in order', async () => {
    const [voucher, merchant] = [await world.funded('voucher', 100n), await world.open('merchant')]
    const event = (about: Account, n: number): Event => {
      const environmentId = merchant.ownerId
      return { type: 'test.moved', environmentId, about, data: { n } }
    }
    const journals = [1, 2, 3, 4, 5].map((n) => {
      const events = n === 3 ? [] : [event(voucher, n)]
      return world.journal({ ...world.move(voucher, merchant, 1n), events })
    })
    await withLedger(isCareful, async (ledger) => {
      await postTogether(ledger, journals)
      expect(ledger.stats.oneRound).toBe(isCareful ? 0 : 1)
    })
    const { rows } = await withEnvironment(world.pool, merchant.ownerId, (tx) =>
      tx.query<{ sequence: bigint; n: number }>(
        `select o.sequence, (o.payload->>'n')::integer as n from ledger_outbox o where o.object_id = $1 order by o.id`,
        [voucher.ownerId],
      ),
    )
    // Funding it was the first move. Every move counts, also one without an event.
    expect(rows).toEqual([
      { sequence: 2n, n: 1 },
      { sequence: 3n, n: 2 },
      { sequence: 5n, n: 4 },
      { sequence: 6n, n: 5 },
    ])
  })
})
