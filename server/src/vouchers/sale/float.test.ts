import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000

let world: ApiWorld
let owner: Pool
let boards: { readonly as: WorldMerchant; readonly currency: Currency; readonly code: string }[]
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = (): Date => new Date(Date.now() + aheadMs)

beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url, clock)
  owner = createPool(database.ownerUrl, 2)
  boards = []
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await owner.end()
  await world.close()
})

/** Each shop and book whose float and store vouchers do not add up to 0, in one snapshot. */
async function findUnbalanced(): Promise<object[]> {
  const { rows } = await owner.query<object>(`
    select shop, book_id, sum(balance)::text as sum from (
      select owner_id as shop, book_id, balance from ledger_accounts where kind = 'store_float'
      union all
      select v.environment_id, a.book_id, a.balance from ledger_accounts a left join vouchers v on v.id = a.owner_id and v.is_store
        where a.kind = 'store_voucher') each
    group by shop, book_id having sum(balance) <> 0 or shop is null`)
  return rows
}

/** Vouchers, with those that replaced them, for which a shop gave back more than it took. */
async function findOverpaid(): Promise<object[]> {
  const { rows } = await owner.query<object>(`
    with recursive chain as (
      select v.id as first, v.id, v.replaced_by from vouchers v
        where v.is_store and not exists (select from vouchers p where p.replaced_by = v.id)
      union all
      select c.first, v.id, v.replaced_by from chain c join vouchers v on v.id = c.replaced_by
    )
    select c.first, sum(case when s.kind in ('sale', 'reload') then s.price else -s.price end)::text as taken
      from chain c join voucher_sales s on s.voucher_id = c.id
      group by c.first having sum(case when s.kind in ('sale', 'reload') then s.price else -s.price end) < 0`)
  return rows
}

// Acts ---------------------------------------------------------------------------------------------------------

const currencies = ['USD', 'JPY'] as const
type Currency = (typeof currencies)[number]

const kinds = [
  ...['make', 'sell', 'sellCard', 'reload', 'void', 'cashBack', 'redeem', 'refund', 'hold', 'capture', 'release'],
  ...['extend', 'cancel', 'replace', 'block', 'unblock', 'reopen'],
] as const
/** `on` picks a voucher, a sale, a redemption or a hold of the history so far; `part` is in percent. */
type Act = { readonly do: string; readonly on: number; readonly cents: number; readonly part: number }
/** Days that pass before the acts, which are performed at the same time. */
type Round = { readonly days: number; readonly acts: readonly Act[] }

const act = (of: readonly string[]): fc.Arbitrary<Act> =>
  fc.record({
    do: fc.constantFrom(...of),
    on: fc.nat({ max: 7 }),
    cents: fc.integer({ min: 1, max: 30_00 }),
    part: fc.integer({ min: 0, max: 110 }),
  })
const anyRound: fc.Arbitrary<Round> = fc.record({
  days: fc.constantFrom(0, 0, 0, 0, 1, 8),
  acts: fc.array(act(kinds), { minLength: 1, maxLength: 5 }),
})
const making: fc.Arbitrary<Round> = fc.record({
  days: fc.constant(0),
  acts: fc.array(act(['make', 'sell', 'sellCard']), { minLength: 2, maxLength: 3 }),
})
const histories = fc
  .tuple(making, fc.array(anyRound, { minLength: 5, maxLength: 15 }))
  .map(([first, rest]) => [first, ...rest])

const alone = (name: string, on = 0, part = 50, days = 0): Round => ({
  days,
  acts: [{ do: name, on, cents: 20_00, part }],
})
/** Each kind of act once, with success. */
const everyAct: Round[] = [
  alone('sell', 0, 90),
  alone('reload'),
  alone('hold', 0, 20),
  alone('capture', 0, 50),
  alone('extend'),
  alone('release'),
  alone('redeem', 0, 10),
  alone('refund', 0, 50),
  alone('block'),
  alone('unblock'),
  alone('replace'),
  alone('cashBack', 1),
  alone('sellCard', 0, 100),
  alone('void', 2),
  alone('make', 1),
  alone('reopen', 3, 50, 9),
  alone('cancel', 3),
]

type Held = {
  readonly id: string
  readonly code: string
  readonly minor: number
  readonly as: WorldMerchant
  readonly currency: Currency
}
type Owned = { readonly id: string; readonly as: WorldMerchant }
type Paid = {
  readonly reference: string
  readonly minor: number
  readonly currency: Currency
  readonly as: WorldMerchant
}
type Reply = { readonly status: number; readonly data: Record<string, unknown> }

const write = (minor: number, currency: Currency): string =>
  currency === 'JPY' ? String(minor) : (minor / 100).toFixed(2)
const share = (minor: number, part: number): number => Math.ceil((minor * part) / 100)

function createHistory(): (act: Act) => Promise<number> {
  const vouchers: Held[] = []
  const sales: Owned[] = []
  const holds: (Owned & { readonly minor: number; readonly currency: Currency })[] = []
  const paid: Paid[] = []
  const call = async (path: string, body: object, as: WorldMerchant): Promise<Reply> =>
    world.call<Record<string, unknown>>('POST', path, { body, as })
  const one = <T>(of: readonly T[], on: number): T | undefined => of[on % Math.max(of.length, 1)]
  const shopOf = (on: number): WorldMerchant => (on % 3 === 2 ? world.theirs : world.ours)
  const currencyOf = (on: number): Currency => (on % 4 === 3 ? 'JPY' : 'USD')
  const expiryOf = (part: number): object =>
    part % 3 === 0 ? { expiresAt: new Date(clock().getTime() + 5 * dayMs).toISOString() } : {}

  /** A part of 0 is free, and one of 100 or more has no price. */
  const priced = (minor: number, part: number, currency: Currency): object => {
    const price = Math.floor((minor * part) / 100)
    if (price === 0) return { tender: 'free', reason: 'test' }
    return price >= minor ? { tender: 'card' } : { tender: 'cash', price: write(price, currency) }
  }

  async function sell({ on, cents: minor, part }: Act, terms: object, as: WorldMerchant): Promise<number> {
    const currency = currencyOf(on)
    const money = { amount: write(minor, currency), currency, ...priced(minor, part, currency) }
    const { status, data } = await call(`${SK}/voucher-sales`, { ...money, ...expiryOf(part), ...terms }, as)
    if (status !== 200) return status
    const { sale, voucher } = data as { sale: Owned; voucher: Held }
    sales.push({ id: sale.id, as })
    vouchers.push({ id: voucher.id, code: voucher.code, minor, as, currency })
    return status
  }

  async function make({ on, cents: minor }: Act): Promise<number> {
    const [as, currency] = [shopOf(on), currencyOf(on)]
    const body = { amount: write(minor, currency), currency, voucherType: 'store' }
    const { status, data } = await call('/sandbox/vouchers', body, as)
    const { id, code } = data as Pick<Held, 'id' | 'code'>
    const expiresAt = new Date(clock().getTime() + 5 * dayMs)
    if (on % 2 === 1) await owner.query('update vouchers set expires_at = $2 where id = $1', [id, expiresAt])
    vouchers.push({ id, code, minor, as, currency })
    return status
  }

  async function onVoucher({ do: name, cents, part }: Act, voucher: Held): Promise<number> {
    const { id, code: voucherCode, as, minor, currency } = voucher
    const amount = write(share(minor, part), currency)
    const referenceId = world.newId()
    if (name === 'reload') {
      const terms = { voucherCode, amount: write(cents, currency), ...priced(cents, part, currency) }
      const { status, data } = await call(`${SK}/voucher-reloads`, terms, as)
      if (status === 200) sales.push({ id: (data.sale as Owned).id, as })
      return status
    }
    if (name === 'cashBack') return (await call(`${SK}/voucher-cash-backs`, { voucherCode, tender: 'cash' }, as)).status
    if (name === 'redeem') {
      const { status } = await call(`${PK}/redeem-voucher`, { voucherCode, amount, referenceId }, as)
      if (status === 200) paid.push({ reference: referenceId, minor: share(minor, part), currency, as })
      return status
    }
    if (name === 'hold') {
      const { status, data } = await call(
        `${PK}/voucher-holds`,
        { voucherCode, amount, expiresInSeconds: 86_400 * 2 },
        as,
      )
      if (status === 200) holds.push({ id: data.id as string, as, minor: share(minor, part), currency })
      return status
    }
    const { status, data } = await call(`${SK}/vouchers/${id}/${name}`, name === 'cancel' ? { voucherCode } : {}, as)
    if (name === 'replace' && status === 200)
      vouchers.push({ ...voucher, id: data.id as string, code: data.code as string })
    return status
  }

  async function onHold({ do: name, part }: Act, hold: (typeof holds)[number]): Promise<number> {
    const { id, as, minor, currency } = hold
    const path = `${SK}/voucher-holds/${id}/${name}`
    if (name === 'release') return (await call(path, {}, as)).status
    if (name === 'extend') return (await call(path, { expiresInSeconds: 86_400 * 4 }, as)).status
    const [reference, taken] = [world.newId(), share(minor, part)]
    const body = { amount: write(taken, currency), referenceId: reference, final: part % 5 === 4 }
    const { status } = await call(path, body, as)
    if (status === 200) paid.push({ reference, minor: taken, currency, as })
    return status
  }

  return async (wanted) => {
    const { do: name, on, part } = wanted
    if (name === 'make') return make(wanted)
    if (name === 'sell') return sell(wanted, {}, shopOf(on))
    if (name === 'sellCard') {
      const board = boards.filter(({ as, currency }) => as === shopOf(on) && currency === currencyOf(on))
      const { code } = one(board, part) ?? { code: 'none' }
      return sell(wanted, { voucherCode: code }, shopOf(on))
    }
    if (name === 'void') {
      const sale = one(sales, on)
      return sale === undefined ? 0 : (await call(`${SK}/voucher-sales/${sale.id}/void`, {}, sale.as)).status
    }
    if (name === 'refund') {
      const from = one(paid, on)
      if (from === undefined) return 0
      const { reference: referenceId, minor, currency, as } = from
      const amount = write(share(minor, part), currency)
      const refund = { referenceId, refundReferenceId: world.newId(), amount, reason: 'returned' }
      return (await call(`${SK}/refund`, refund, as)).status
    }
    const hold = one(holds, on)
    if (['capture', 'release', 'extend'].includes(name)) return hold === undefined ? 0 : onHold(wanted, hold)
    const voucher = one(vouchers, on)
    return voucher === undefined ? 0 : onVoucher(wanted, voucher)
  }
}

/** Unsold cards of both shops in both currencies. Undone sales put them back. */
async function makeCards(): Promise<void> {
  for (const as of [world.ours, world.theirs])
    for (const currency of currencies) {
      const { data } = await world.call<{ id: string }>('POST', `${SK}/voucher-cards`, {
        body: { size: 6, currency },
        as,
      })
      await world.work()
      const { text } = await world.call('GET', `${SK}/voucher-batches/${data.id}/vouchers.csv`, { as })
      const codes = text.split('\r\n').slice(1, -1)
      boards.push(...codes.map((line) => ({ as, currency, code: line.split(',')[1] ?? '' })))
    }
}

test('at every moment of random histories, the float of each shop and its store vouchers sum to 0 in each book', {
  timeout: 240_000,
}, async () => {
  await makeCards()
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(histories, async (rounds) => {
      const perform = createHistory()
      for (const { days, acts } of rounds) {
        aheadMs += days * dayMs
        // The jobs that expire vouchers and holds run beside the requests.
        const work = days > 0 ? [world.work()] : []
        const replies = Promise.all(acts.map(async (each) => ({ name: each.do, status: await perform(each) })))
        const during = await findUnbalanced()
        for (const { name, status } of await replies) {
          expect(status, name).toBeLessThan(500)
          if (status === 200) seen.set(name, (seen.get(name) ?? 0) + 1)
        }
        await Promise.all(work)
        expect([during, await findUnbalanced()]).toEqual([[], []])
      }
      expect(await findOverpaid()).toEqual([])
    }),
    { numRuns: 25, endOnFailure: true, examples: [[everyAct]] },
  )
  // Otherwise nothing was tried.
  for (const kind of kinds) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0)
})
