// For random histories at random past times: reports equal sums straight from the ledger, whichever part of it the job has added up.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson } from '../../../local/test/visitor.ts'
import { createPool, inTransaction, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { firstIdAt } from '../../payments/transaction/store.ts'
import { ensureBook } from '../../ledger/book.ts'
import { settledAfterMs } from '../figures.ts'
import { extendReports } from './jobs.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const reports = `${SK}/reports`
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const zone = 'Africa/Lagos'

let world: ApiWorld
let owner: Pool
let ada: Awaited<ReturnType<typeof addPerson>>
// Only moved forward, since ids increase with it.
let at = new Date(Date.UTC(2026, 9, 28, 9))
const pass = (ms: number): void => {
  at = new Date(at.getTime() + ms)
}

beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => at)
  owner = createPool(ownerUrl, 2)
  await world.charge()
  await world.convertFree('USD', 'EUR')
  await world.convertFree('EUR', 'USD')
  await setManualRate(world.pool, 'EUR', 'USD', '1.0837', () => new Date(at.getTime() + 400 * dayMs))
  ada = await addPerson(world, 'test')
  for (const currency of ['USD', 'EUR']) {
    for (const as of [world.ours, world.theirs]) await world.fund(9_000, { currency, as })
    await world.fund(9_000, { currency, user: ada.person.email })
  }
  await world.fund(3, { currency: 'USD', account: 'admin' })
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await owner.end()
  await world.close()
})

// Acts ---------------------------------------------------------------------------------------------------------

const kinds = [
  ...['issue', 'sell', 'batch', 'redeem', 'redeem', 'elsewhere', 'convert', 'refund', 'reload', 'void', 'cashBack'],
  ...['cancel', 'replace', 'reopen', 'request', 'payOut', 'adminPays', 'work', 'extend'],
] as const
type Kind = (typeof kinds)[number]
type Act = { readonly do: Kind; readonly on: number; readonly cents: number; readonly hours: number }

const anyAct: fc.Arbitrary<Act> = fc.record({
  do: fc.constantFrom(...kinds),
  on: fc.nat({ max: 30 }),
  cents: fc.integer({ min: 1, max: 20_00 }),
  hours: fc.constantFrom(0, 0, 0.02, 0.2, 3, 11, 26, 200),
})
const act = (name: Kind, on = 1, hours = 1): Act => ({ do: name, on, cents: 5_00, hours })
/** Vouchers 0 and 2 are paid from the balance, 1 is a store voucher. None of them expires. */
const start: Act[] = [act('issue'), act('sell'), act('issue', 3)]
/** Each kind of act once, with success. */
const everyAct: Act[] = [
  ...[act('batch'), act('redeem', 0), act('refund', 0, 30), act('elsewhere', 0), act('convert', 2), act('reload')],
  // Voucher 3 is sold and taken back, 4 is sold and paid back, 5 replaces 0.
  ...[act('sell'), act('void'), act('sell'), act('cashBack', 4, 30), act('replace', 0), act('cancel', 2)],
  // Voucher 6 expires.
  ...[act('issue', 0), act('work', 0, 200), act('reopen', 6), act('adminPays', 0), act('redeem', 6)],
  ...[act('request'), act('payOut'), act('extend', 0, 30)],
]

type Held = { readonly id: string; readonly code: string; readonly isStore: boolean }
type Reply = { readonly status: number; readonly data: Record<string, unknown> }

function createHistory() {
  const vouchers: Held[] = []
  const sales: string[] = []
  const paid: string[] = []
  const call = (path: string, body: object, as: WorldMerchant = world.ours): Promise<Reply> =>
    world.call<Record<string, unknown>>('POST', path, { body, as })
  const one = <T>(of: readonly T[], on: number): T | undefined => of[on % Math.max(of.length, 1)]
  const currencyOf = (on: number): string => (on % 3 === 2 ? 'EUR' : 'USD')
  const expiry = (on: number): object =>
    on % 2 === 0 ? { expiresAt: new Date(at.getTime() + 6 * dayMs).toISOString() } : {}

  async function onVoucher({ do: name, cents }: Act, voucher: Held): Promise<number> {
    const { id, code: voucherCode, isStore } = voucher
    const amount = (cents / 400).toFixed(2)
    const referenceId = world.newId()
    if (name === 'redeem' || name === 'convert' || name === 'elsewhere') {
      const to = name === 'convert' ? { toCurrencyAbbreviation: 'EUR' } : {}
      const as = name === 'elsewhere' ? world.theirs : world.ours
      const { status } = await call(`${PK}/redeem-voucher`, { voucherCode, amount, referenceId, ...to }, as)
      if (status === 200 && as === world.ours) paid.push(referenceId)
      return status
    }
    if (name === 'reload') {
      const body = { voucherCode, amount: '3.00', tender: 'cash' }
      return isStore ? (await call(`${SK}/voucher-reloads`, body)).status : 0
    }
    if (name === 'cashBack') return (await call(`${SK}/voucher-cash-backs`, { voucherCode, tender: 'cash' })).status
    const { status, data } = await call(`${SK}/vouchers/${id}/${name}`, name === 'cancel' ? { voucherCode } : {})
    if (name === 'replace' && status === 200)
      vouchers.push({ ...voucher, id: data.id as string, code: data.code as string })
    return status
  }

  return async (wanted: Act): Promise<number> => {
    const { do: name, on, cents } = wanted
    const currency = currencyOf(on)
    const amount = (cents / 100).toFixed(2)
    const referenceId = world.newId()
    switch (name) {
      case 'issue': {
        const { status, data } = await call(`${SK}/vouchers`, { amount, currency, ...expiry(on) })
        if (status === 200) vouchers.push({ id: data.id as string, code: data.code as string, isStore: false })
        return status
      }
      case 'sell': {
        const { status, data } = await call(`${SK}/voucher-sales`, { amount, currency, tender: 'card', ...expiry(on) })
        if (status !== 200) return status
        const { sale, voucher } = data as { sale: { id: string }; voucher: { id: string; code: string } }
        sales.push(sale.id)
        vouchers.push({ ...voucher, isStore: true })
        return status
      }
      case 'batch':
        return (await call(`${SK}/voucher-batches`, { size: 3, amount, currency, referenceId })).status
      case 'refund': {
        const body = { referenceId: one(paid, on) ?? 'none', refundReferenceId: referenceId, reason: 'returned' }
        return (await call(`${SK}/refund`, body)).status
      }
      case 'void':
        return (await call(`${SK}/voucher-sales/${one(sales, on) ?? world.newId()}/void`, {})).status
      case 'request': {
        const body = { amount, currency, user_identifier: ada.person.email, reference_id: referenceId }
        await call(`${PK}/payment-request`, body)
        return (await call(`/sandbox/payment-requests/${referenceId}/authorise`, {})).status
      }
      case 'payOut': {
        const to = { fromCurrencyAbbreviation: currency, toCurrencyAbbreviation: currency }
        const body = { amount, ...to, platformUsernameOrEmail: ada.person.email, referenceId }
        return (await call(`${SK}/payout`, body)).status
      }
      case 'adminPays':
        return (await call(`${PK}/update-admin-charges`, { takeChargesFromWallet: on % 2 === 0 })).status
      case 'work':
        await world.work()
        return 200
      case 'extend':
        await extendReports(world.pool, () => at)
        return 200
      default: {
        const voucher = one(vouchers, on)
        return voucher === undefined ? 0 : onVoucher(wanted, voucher)
      }
    }
  }
}

// The ledger ---------------------------------------------------------------------------------------------------

/** Both sides of every transfer before a time, on accounts of our merchant, read without the functions of the reports. */
const sides = `
  select t.journal_id, b.currency, s.kind, s.owner, s.delta, v.id as voucher_id
  from ledger_transfers t join ledger_books b on b.id = t.book_id
  cross join lateral (values (t.to_kind::text, t.to_owner, t.amount), (t.from_kind::text, t.from_owner, -t.amount)) s (kind, owner, delta)
  left join vouchers v on v.id = s.owner and v.environment_id = $1 and s.kind in ('voucher', 'store_voucher')
  left join voucher_batches c on c.id = s.owner and c.environment_id = $1
  where (s.owner = $1 or v.id is not null or c.id is not null) and t.journal_id < $2`

type Sums = Record<string, bigint>

async function sumLedger(group: string, below: Date, and = 'true'): Promise<Sums> {
  const { rows } = await owner.query<{ name: string; sum: bigint }>(
    `select ${group} as name, sum(delta) as sum from (${sides}) s where ${and} group by 1 having sum(delta) <> 0 order by 1`,
    [world.ours.environmentId, firstIdAt(below)],
  )
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
}

const accountOfKind: Readonly<Record<string, string>> = {
  merchant: 'balance',
  merchant_admin: 'admin',
  voucher: 'platform_vouchers',
  store_voucher: 'store_vouchers',
  batch: 'batches',
  fee: 'fees',
  treasury: 'funding',
}

// Reports ------------------------------------------------------------------------------------------------------

const minor = (amount: number): bigint => BigInt(Math.round(amount * 100))
const dayOf = (time: Date): string => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(time)
/** Lagos is an hour ahead of UTC, all year. */
const endOf = (day: string): Date => new Date(Date.parse(`${day}T00:00:00Z`) + dayMs - hourMs)
const startOf = (day: string): Date => new Date(endOf(day).getTime() - dayMs)

async function read<Data>(path: string): Promise<Data> {
  const { status, data, text } = await world.get<Data>(`${reports}/${path}`)
  expect(status, text).toBe(200)
  return data
}

type Liability = {
  currency: string
  vouchers: 'platform' | 'store'
  opening: number
  closing: number
  movements: { kind: string; valueIn: number; valueOut: number }[]
  months: { month: string; outstanding: number }[]
  ages: { months: string; outstanding: number }[]
}

const seenKinds = new Set<string>()

async function compareLiability(from: string, until: string): Promise<void> {
  const { liabilities } = await read<{ liabilities: Liability[] }>(`liability?from=${from}&until=${until}`)
  const name = ({ currency, vouchers }: Liability): string =>
    `${currency} ${vouchers === 'store' ? 'store_voucher' : 'voucher'}`
  const nonZero = (pairs: [string, bigint][]): Sums => Object.fromEntries(pairs.filter(([, sum]) => sum !== 0n).sort())
  const isVoucher = 'voucher_id is not null'
  expect(nonZero(liabilities.map((each) => [name(each), minor(each.closing)]))).toEqual(
    await sumLedger(`currency || ' ' || kind`, endOf(until), isVoucher),
  )
  expect(nonZero(liabilities.map((each) => [name(each), minor(each.opening)]))).toEqual(
    await sumLedger(`currency || ' ' || kind`, startOf(from), isVoucher),
  )
  const months = liabilities.flatMap((each) =>
    each.months.map(({ month, outstanding }): [string, bigint] => [`${name(each)} ${month}`, minor(outstanding)]),
  )
  const issueMonth = `to_char(time_of_id(voucher_id) at time zone '${zone}', 'YYYY-MM')`
  expect(nonZero(months)).toEqual(
    await sumLedger(`currency || ' ' || kind || ' ' || ${issueMonth}`, endOf(until), isVoucher),
  )
  for (const { opening, closing, movements, ages, months: byMonth } of liabilities) {
    const moved = movements.reduce((sum, { valueIn, valueOut }) => sum + minor(valueIn) - minor(valueOut), 0n)
    expect(minor(opening) + moved).toBe(minor(closing))
    const sum = (parts: { outstanding: number }[]) =>
      parts.reduce((total, { outstanding }) => total + minor(outstanding), 0n)
    expect([sum(ages), sum(byMonth)]).toEqual([minor(closing), minor(closing)])
    for (const { kind } of movements) seenKinds.add(kind)
    expect(movements.map(({ kind }) => kind)).not.toContain('other')
  }
}

type Totals = { account: string; currency: string; opening: number; debit: number; credit: number; closing: number }[]

async function compareTotals(from: string, until: string): Promise<void> {
  const { totals } = await read<{ totals: Totals }>(`totals?from=${from}&until=${until}`)
  const named = (sums: Sums): Sums =>
    Object.fromEntries(
      Object.entries(sums)
        .map(([name, sum]): [string, bigint] => {
          const [currency = '', kind = ''] = name.split(' ')
          return [`${currency} ${accountOfKind[kind] ?? kind}`, sum]
        })
        .sort(),
    )
  const shown = (select: (each: Totals[number]) => number): Sums =>
    Object.fromEntries(
      totals
        .filter(({ account }) => account !== 'others')
        .map((each): [string, bigint] => [`${each.currency} ${each.account}`, minor(select(each))])
        .filter(([, sum]) => sum !== 0n)
        .sort(),
    )
  expect(shown(({ closing }) => closing)).toEqual(named(await sumLedger(`currency || ' ' || kind`, endOf(until))))
  expect(shown(({ opening }) => opening)).toEqual(named(await sumLedger(`currency || ' ' || kind`, startOf(from))))
  await compareExport(from, until, totals)
}

/** Each journal balances in each currency, and the columns add up to the totals of the page. */
async function compareExport(from: string, until: string, totals: Totals): Promise<void> {
  const { text } = await world.get(`${reports}/journals.csv?from=${from}&until=${until}`)
  const [head = '', ...lines] = text.trim().split('\r\n')
  const names = head.split(',')
  const sums = new Map<string, bigint>()
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount)
  for (const line of lines) {
    const cells = line.split(',')
    const [, journal = '', , , , account = ''] = cells
    for (const [i, column] of names.entries()) {
      const [side = '', currency = ''] = column.split(' ')
      if (i < 7 || cells[i] === '') continue
      const amount = minor(Number(cells[i]))
      expect(amount > 0n).toBe(true)
      add(`${account} ${currency} ${side}`, amount)
      add(`journal ${journal} ${currency}`, side === 'debit' ? amount : -amount)
    }
  }
  for (const [name, sum] of sums) if (name.startsWith('journal ')) expect([name, sum]).toEqual([name, 0n])
  const expected = totals
    .flatMap(({ account, currency, debit, credit }): [string, bigint][] => [
      [`${account} ${currency} debit`, minor(debit)],
      [`${account} ${currency} credit`, minor(credit)],
    ])
    .filter(([, sum]) => sum !== 0n)
  expect([...sums].filter(([name]) => !name.startsWith('journal ')).sort()).toEqual(expected.sort())
}

type Statement = {
  opening: number
  valueIn: number
  valueOut: number
  closing: number
  lines: { id: string; valueIn: number; valueOut: number }[]
  nextCursor: string
}

async function compareStatement(from: string, until: string, currency: string): Promise<void> {
  const query = `currency=${currency}&from=${from}&until=${until}&limit=7`
  let page = await read<Statement>(`statement?${query}`)
  const lines = [...page.lines]
  while (page.nextCursor !== '') {
    page = await read<Statement>(`statement?${query}&cursor=${page.nextCursor}`)
    lines.push(...page.lines)
  }
  const ids = lines.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
  const only = `kind = 'merchant' and currency = '${currency}'`
  const closing = (await sumLedger('currency', endOf(until), only))[currency] ?? 0n
  const opening = (await sumLedger('currency', startOf(from), only))[currency] ?? 0n
  expect([minor(page.opening), minor(page.closing)]).toEqual([opening, closing])
  const moved = lines.reduce((sum, { valueIn, valueOut }) => sum + minor(valueIn) - minor(valueOut), 0n)
  expect(opening + moved).toBe(closing)
  const { text } = await world.get(`${reports}/statement.csv?currency=${currency}&from=${from}&until=${until}`)
  expect(
    text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[1]),
  ).toEqual(ids)
}

async function compareBalances(time: Date): Promise<void> {
  const moment = time.toISOString()
  const after = new Date(time.getTime() + 1)
  const sums = await sumLedger(`currency || ' ' || kind`, after)
  for (const [kind, account] of Object.entries(accountOfKind))
    for (const currency of ['USD', 'EUR']) {
      const { balance } = await read<{ balance: number }>(
        `balance?account=${account}&currency=${currency}&at=${moment}`,
      )
      expect([account, currency, minor(balance)]).toEqual([account, currency, sums[`${currency} ${kind}`] ?? 0n])
    }
  const vouchers = await sumLedger('voucher_id::text', after, 'voucher_id is not null')
  const { rows } = await owner.query<{ id: string }>(
    'select id from vouchers where environment_id = $1 order by id desc limit 25',
    [world.ours.environmentId],
  )
  for (const { id } of rows) {
    const { balance } = await read<{ balance: number }>(`balance?voucherId=${id}&at=${moment}`)
    expect([id, minor(balance)]).toEqual([id, vouchers[id] ?? 0n])
  }
}

async function compareFees(from: string, until: string): Promise<void> {
  type Fees = { fees: { currency: string; amount: number; returned: number }[] }
  const { fees } = await read<Fees>(`fees?from=${from}&until=${until}`)
  const before = await sumLedger('currency', startOf(from), `kind = 'fee'`)
  const after = await sumLedger('currency', endOf(until), `kind = 'fee'`)
  for (const currency of ['USD', 'EUR']) {
    const own = fees.filter((each) => each.currency === currency)
    const net = own.reduce((sum, { amount, returned }) => sum + minor(amount) - minor(returned), 0n)
    expect(net).toBe((after[currency] ?? 0n) - (before[currency] ?? 0n))
  }
}

describe('reports', () => {
  test('equal the ledger for random histories at random past times, and opening plus movements is closing', async () => {
    const started = at
    const seen = new Map<string, number>()
    const history = fc.record({
      acts: fc.array(anyAct, { minLength: 10, maxLength: 25 }),
      times: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(history, async ({ acts, times }) => {
        const perform = createHistory()
        for (const each of [...start, ...acts]) {
          pass(each.hours * hourMs + 1)
          const status = await perform(each)
          expect(status, each.do).toBeLessThan(500)
          if (status === 200) seen.set(each.do, (seen.get(each.do) ?? 0) + 1)
        }
        const spanMs = at.getTime() - started.getTime()
        const [first = at, last = at] = times
          .map((part) => new Date(started.getTime() + part * spanMs))
          .sort((a, b) => a.getTime() - b.getTime())
        for (const [from, until] of [
          [dayOf(first), dayOf(last)],
          [dayOf(at), dayOf(at)],
        ] as const) {
          await compareLiability(from, until)
          await compareTotals(from, until)
          await compareStatement(from, until, 'USD')
          await compareFees(from, until)
        }
        await compareStatement(dayOf(first), dayOf(at), 'EUR')
        for (const time of [first, last, at]) await compareBalances(time)
      }),
      { numRuns: 8, examples: [[{ acts: everyAct, times: [0.3, 0.9] }]], interruptAfterTimeLimit: 150_000 },
    )
    // Otherwise nothing was tried.
    for (const kind of kinds) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0)
    expect([...seenKinds].sort()).toEqual(
      [
        ...['cancelled', 'expired', 'fees', 'issued', 'paid_back', 'redeemed', 'refunded'],
        ...['reloaded', 'reopened', 'replaced', 'voided'],
      ].sort(),
    )
  }, 240_000)

  test('a posting that began before midnight and is committed after it counts on the day that it began', async () => {
    await world.work()
    // Ten minutes before midnight in Lagos.
    at = new Date(endOf(dayOf(at)).getTime() - 600_000)
    const day = dayOf(at)
    const balanceOf = async (): Promise<bigint> => {
      const { closing } = await read<Statement>(`statement?currency=USD&from=${day}&until=${day}`)
      return minor(closing)
    }
    const before = await balanceOf()
    const bookId = await ensureBook(world.pool, 'test', 'USD')
    const journal = world.newId()
    const { environmentId } = world.ours
    await inTransaction(owner, async (tx) => {
      await tx.query(
        `insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at) values ($1, $1, $1, 'merchant.fund', 0, $2)`,
        [journal, at],
      )
      await tx.query(
        `insert into ledger_transfers (journal_id, position, book_id, from_kind, from_owner, to_kind, to_owner, amount)
          values ($1, 0, $2, 'treasury', $3, 'merchant', $3, 700)`,
        [journal, bookId, environmentId],
      )
      // Midnight passes, the job runs and the report is read while the posting is not committed.
      pass(1_200_000)
      while (await extendReports(world.pool, () => at)) continue
      expect(await balanceOf()).toBe(before)
    })
    expect(await balanceOf()).toBe(before + 700n)
    pass(settledAfterMs + hourMs)
    while (await extendReports(world.pool, () => at)) continue
    expect(await balanceOf()).toBe(before + 700n)
    const settled = await owner.query('select from account_entries where journal_id = $1', [journal])
    expect(settled.rowCount).toBe(2)
  })

  test('the sums of a day that the job adds up in several parts equal the ledger', async () => {
    await world.work()
    at = new Date(endOf(dayOf(at)).getTime() + hourMs)
    const day = dayOf(at)
    const perform = createHistory()
    for (let part = 0; part < 3; part++) {
      for (const each of [act('issue', 1), act('redeem', 0), act('sell', 1)]) {
        pass(60_000)
        expect(await perform(each)).toBe(200)
      }
      // Until this part is settled, and the next one is not there yet.
      pass(settledAfterMs + hourMs)
      while (await extendReports(world.pool, () => at)) continue
    }
    const { rows } = await owner.query<{ below: Date }>(
      'select time_of_id(below_id) as below from report_progress where environment_id = $1',
      [world.ours.environmentId],
    )
    expect(rows.map(({ below }) => dayOf(below))).toEqual([day])
    pass(2 * dayMs)
    while (await extendReports(world.pool, () => at)) continue
    await compareLiability(day, day)
    await compareTotals(day, day)
    await compareFees(day, day)
  })

  test('a merchant that moves to another time zone gets reports of its new days, before the job has added them up and after', async () => {
    await world.work()
    const { merchantId, environmentId } = world.ours
    await owner.query(`update merchants set time_zone = 'Pacific/Auckland' where id = $1`, [merchantId])
    const day = dayOf(new Date(at.getTime() - 3 * dayMs))
    const { rows } = await owner.query<{ ends: Date }>(
      `select start_of_day($1::date + 1, 'Pacific/Auckland') as ends`,
      [day],
    )
    const ends = rows[0]?.ends ?? at
    const expected = (await sumLedger('currency', ends, `kind = 'merchant' and currency = 'USD'`)).USD ?? 0n
    const closing = async (): Promise<bigint> =>
      minor((await read<Statement>(`statement?currency=USD&from=${day}&until=${day}`)).closing)
    expect(await closing()).toBe(expected)
    while (await extendReports(world.pool, () => at)) expect(await closing()).toBe(expected)
    const found = await owner.query<{ zone: string }>(
      'select time_zone as zone from report_progress where environment_id = $1',
      [environmentId],
    )
    expect(found.rows).toEqual([{ zone: 'Pacific/Auckland' }])
    await owner.query(`update merchants set time_zone = $2 where id = $1`, [merchantId, zone])
    await world.work()
  })

  test('account numbers are in the export, are kept per merchant, and an empty one is removed', async () => {
    const numbers = [
      { account: 'balance', number: ' 1200 ' },
      { account: 'fees', number: '4970' },
    ]
    expect((await world.post(`${reports}/account-numbers`, { accounts: numbers })).status).toBe(200)
    await world.post(`${reports}/account-numbers`, { accounts: [{ account: 'fees', number: '' }] })
    type Numbers = { accounts: { account: string; number: string }[] }
    const shown = async (as?: WorldMerchant) =>
      (await world.get<Numbers>(`${reports}/account-numbers`, as)).data.accounts.filter(({ number }) => number !== '')
    expect(await shown()).toEqual([{ account: 'balance', number: '1200' }])
    expect(await shown(world.theirs)).toEqual([])
    await world.fund(1)
    const today = dayOf(at)
    const { text } = await world.get(`${reports}/journals.csv?from=${today}&until=${today}`)
    expect(text).toMatch(/,balance,1200,/)
    expect(text).toMatch(/,funding,,/)
  })

  test('refuses a period that ends before it begins, and the voucher of another merchant', async () => {
    const turned = await world.get(`${reports}/liability?from=2026-11-02&until=2026-11-01`)
    expect([turned.status, turned.text]).toEqual([422, expect.stringContaining('REPORT_PERIOD_INVALID')])
    const { id } = await world.issueVoucher(1, {}, world.theirs)
    const foreign = await world.get(`${reports}/balance?voucherId=${id}`)
    expect([foreign.status, foreign.text]).toEqual([404, expect.stringContaining('REPORT_VOUCHER_UNKNOWN')])
  })
})
