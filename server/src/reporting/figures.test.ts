// For random histories of staff, API keys and users: the overview, the daily report, the export and the ledger agree
// exactly.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../local/test/api-world.ts'
import { createTestDatabase } from '../../local/test/test-database.ts'
import { addMember, addPerson, pin } from '../../local/test/visitor.ts'
import { withEnvironment } from '../base/environment.ts'
import { setManualRate } from '../catalogue/currency/rates.ts'
import { findBook } from '../ledger/book.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { findPayments, type PaymentFilter, type PaymentRow } from './payments-store.ts'

const api = '/merchant-integrations'
const server = '/merchant-integrations-server'
const hourMs = 3_600_000
const kinds = ['VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'REFUND', 'PAYOUT', 'VOUCHER_PURCHASE'] as const

type Member = Awaited<ReturnType<typeof addMember>>
type Voucher = { id: string; code: string; currency: string }
type History = {
  readonly world: ApiWorld
  readonly cashiers: readonly Member[]
  readonly accountant: Member
  readonly ada: Awaited<ReturnType<typeof addPerson>>
  readonly vouchers: Voucher[]
  readonly paid: string[]
}

const currency = fc.constantFrom('USD', 'EUR')
const cents = fc.integer({ min: 100, max: 3_000 }).map((minor) => (minor / 100).toFixed(2))
const step = fc.record({
  act: fc.constantFrom(
    ...([
      'redeem',
      'redeem',
      'redeem',
      'convert',
      'refund',
      'refund all',
      'issue',
      'batch',
      'ask',
      'decline',
      'pay out',
    ] as const),
  ),
  who: fc.nat(3),
  which: fc.nat(1_000),
  amount: cents,
  currency,
  hours: fc.double({ min: 0.01, max: 9, noNaN: true }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Performs one step. Refused requests are part of a history, too. */
async function perform({ world, cashiers, accountant, ada, vouchers, paid }: History, step: Step, reference: string) {
  const voucher = vouchers[step.which % vouchers.length]
  const { amount } = step
  const request = { amount, currency: step.currency, user_identifier: ada.person.email, reference_id: reference }
  switch (step.act) {
    case 'redeem':
    case 'convert': {
      const other = voucher?.currency === 'USD' ? 'EUR' : 'USD'
      const sale = { voucherCode: voucher?.code, amount, referenceId: reference }
      const ask = step.act === 'convert' ? { ...sale, toCurrencyAbbreviation: other } : sale
      const cashier = cashiers[step.who]
      if (cashier === undefined) await world.post(`${api}/redeem-voucher`, ask)
      else await cashier.post(`${api}/redeem-voucher`, ask)
      paid.push(reference)
      return
    }
    case 'refund':
    case 'refund all':
      await accountant.post(`${server}/refund`, {
        ...{ referenceId: paid[step.which % paid.length] ?? 'none', refundReferenceId: reference },
        ...(step.act === 'refund' && { amount }),
      })
      return
    case 'issue':
      await accountant.post(`${server}/vouchers`, { amount, currency: step.currency, referenceId: reference, pin })
      return
    case 'batch':
      await accountant.post(`${server}/voucher-batches`, {
        pin,
        ...{ size: 1 + (step.which % 4), amount, currency: step.currency, referenceId: reference },
      })
      return
    case 'pay out':
      await world.post(`${server}/payout`, {
        ...{ amount, fromCurrencyAbbreviation: step.currency, toCurrencyAbbreviation: step.currency },
        ...{ platformUsernameOrEmail: ada.person.email, referenceId: reference },
      })
      return
    default:
      await world.post(`${api}/payment-request`, request)
      if (step.act === 'decline') await world.post(`/sandbox/payment-requests/${reference}/decline`, {})
      if (step.act === 'ask') await world.post(`/sandbox/payment-requests/${reference}/authorise`, {})
      paid.push(reference)
  }
}

/** Totals by day, type and currency, computed from journals and accounts of the ledger only. */
async function readLedger(world: ApiWorld, environmentId: string): Promise<Map<string, bigint>> {
  const { rows } = await world.pool.query<{ day: string; kind: string; currency: string; amount: bigint }>(
    `select (j.posted_at at time zone 'Africa/Lagos')::date::text as day, b.currency, sum(t.amount) as amount, case
        when j.kind = 'voucher.redeem' and t.from_kind = 'voucher' and t.to_kind in ('merchant', 'exchange') then 'VOUCHER_REDEMPTION'
        when j.kind = 'payment.authorise' and t.to_kind = 'merchant' then 'PAYMENT_REQUEST'
        when j.kind in ('voucher.refund', 'payment.refund') and t.to_kind in ('voucher', 'wallet') then 'REFUND'
        when j.kind like 'payout%' and t.from_kind = 'merchant' then 'PAYOUT'
        when j.kind = 'voucher.issue' and t.from_kind = 'merchant' or j.kind = 'voucher.batch' and t.from_kind = 'merchant'
          then 'VOUCHER_PURCHASE' end as kind
      from ledger_journals j join ledger_transfers t on t.journal_id = j.id join ledger_books b on b.id = t.book_id
      where $1 in (t.from_owner, t.to_owner) or t.from_kind = 'exchange' or t.to_kind = 'voucher' or t.from_kind = 'voucher'
      group by 1, 2, 4`,
    [environmentId],
  )
  const moved = rows.filter(({ kind }) => (kind as string | null) !== null)
  return new Map(moved.map(({ day, kind, currency: code, amount }) => [`${day} ${kind} ${code}`, amount]))
}

const toMinor = (amount: string): bigint => BigInt(amount.replace('.', ''))

function addTo(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount)
}

test('the overview, daily reports, the export and the ledger agree exactly for random histories', async () => {
  const { url } = await createTestDatabase()
  let at = new Date(Date.UTC(2026, 10, 16, 6))
  const world = await createApiWorld(url, () => at)
  await world.charge()
  await setManualRate(world.pool, 'EUR', 'USD', '1.0837', () => new Date(at.getTime() + 365 * 24 * hourMs))
  const cashiers = [await addMember(world, world.ours, 'cashier'), await addMember(world, world.ours, 'cashier')]
  const accountant = await addMember(world, world.ours, 'accountant')
  const ada = await addPerson(world, 'test')
  for (const code of ['USD', 'EUR']) {
    await world.fund(5_000, { currency: code })
    await world.fund(5_000, { currency: code, user: ada.person.email })
  }
  let steps = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (history) => {
      const vouchers: Voucher[] = []
      for (const code of ['USD', 'EUR', 'USD']) {
        vouchers.push({ ...(await world.issueVoucher(150, { currency: code })), currency: code })
      }
      const open: History = { world, cashiers, accountant, ada, vouchers, paid: [] }
      for (const each of history) {
        at = new Date(at.getTime() + each.hours * 600_000)
        await perform(open, each, `step-${steps++}`)
      }
      // Requested on one day and paid on the next: midnight in Lagos is an hour before UTC.
      const midnight = new Date(Math.ceil(at.getTime() / (24 * hourMs)) * 24 * hourMs - hourMs)
      at = new Date(Math.max(at.getTime(), midnight.getTime() - 300_000))
      const late = { amount: '7.00', currency: 'USD', user_identifier: ada.person.email, reference_id: `late-${steps}` }
      await world.call('POST', `${api}/payment-request`, { body: late })
      at = new Date(at.getTime() + 600_000)
      await world.call('POST', `/sandbox/payment-requests/late-${steps}/authorise`, { body: {} })
      await compare(world, accountant)
      await comparePages(world, vouchers)
    }),
    { numRuns: 6, interruptAfterTimeLimit: 40_000 },
  )
  const seen = new Set(
    [...(await readLedger(world, world.ours.environmentId)).keys()].map((name) => name.split(' ')[1]),
  )
  expect([...seen].sort()).toEqual([...kinds].sort())
  expect(await verifyLedger(world.pool)).toEqual([])
  await world.close()
}, 90_000)

async function compare(world: ApiWorld, accountant: Member): Promise<void> {
  const ledger = await readLedger(world, world.ours.environmentId)
  type Told = { day: string; kind: string; currency: string; amount: string }
  const home = (await accountant.get('/merchant/home')).json().data as unknown as { days: Told[]; today: string }
  const shown = new Map(
    home.days.map(({ day, kind, currency: code, amount }) => [`${day} ${kind} ${code}`, toMinor(amount)]),
  )
  const sorted = (sums: Map<string, bigint>) => [...sums].filter(([, sum]) => sum > 0n).sort()
  expect(sorted(shown)).toEqual(sorted(ledger))

  const exported = new Map<string, bigint>()
  const lines = (await accountant.get('/merchant/payments.csv')).text.trim().split('\r\n').slice(1)
  for (const line of lines) {
    const [, settled = '', , type = '', , , code = '', , , , , , moved = ''] = line.split(',')
    if (moved === '') continue
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Africa/Lagos' }).format(new Date(settled))
    addTo(exported, `${day} ${type} ${code}`, toMinor(moved))
  }
  expect(sorted(exported)).toEqual(sorted(ledger))

  const counted = new Map<string, bigint>()
  for (const day of new Set(home.days.map((each) => each.day))) {
    type Sum = { amount: string }
    type Count = { cashiers: { rows: { currency: string; redeemed: Sum; refunded: Sum; issued: Sum }[] }[] }
    const count = (await accountant.get(`/merchant/day-count?day=${day}`)).json().data as unknown as Count
    for (const { currency: code, redeemed, refunded, issued } of count.cashiers.flatMap(({ rows }) => rows)) {
      addTo(counted, `${day} VOUCHER_REDEMPTION ${code}`, toMinor(redeemed.amount))
      addTo(counted, `${day} REFUND ${code}`, toMinor(refunded.amount))
      addTo(counted, `${day} VOUCHER_PURCHASE ${code}`, toMinor(issued.amount))
    }
  }
  const ofTill = (sums: Map<string, bigint>) =>
    sorted(sums).filter(([name]) => !name.includes('PAYMENT_REQUEST') && !name.includes('PAYOUT'))
  expect(ofTill(counted)).toEqual(ofTill(ledger))
}

/** Small pages with every kind of filter add up to the full list. */
async function comparePages({ pool, ours: { environmentId } }: ApiWorld, vouchers: readonly Voucher[]): Promise<void> {
  await withEnvironment(pool, environmentId, async (tx) => {
    const everything = { from: '00000000-0000-0000-0000-000000000000', below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
    const whole = (await findPayments(tx, environmentId, everything, {}, 10_000)).payments
    const [usd, eur] = [await findBook(tx, 'test', 'USD'), await findBook(tx, 'test', 'EUR')]
    const tail = vouchers[0]?.code.slice(-4) ?? ''
    const cases: [PaymentFilter, (payment: PaymentRow) => boolean][] = [
      [{}, () => true],
      [{ bookId: eur }, ({ bookId }) => bookId === eur],
      [
        { bookId: usd, status: 'COMPLETED' },
        ({ bookId, status, refunded }) => bookId === usd && status === 'COMPLETED' && refunded === 0n,
      ],
      [{ status: 'PARTIALLY_REFUNDED' }, ({ status, refunded }) => status === 'COMPLETED' && refunded > 0n],
      [{ type: 'REFUND' }, ({ type }) => type === 'REFUND'],
      [{ status: 'REFUNDED' }, ({ status }) => status === 'REFUNDED'],
      [{ member: 'api' }, ({ memberId }) => memberId === null],
      [
        { oneOf: [{ codeTail: tail }, { amount: 700n, bookId: usd ?? 0 }] },
        ({ codeTail, amount, bookId }) => codeTail === tail || (amount === 700n && bookId === usd),
      ],
    ]
    for (const [filter, isWanted] of cases) {
      const paged: string[] = []
      let below = everything.below
      while (below !== '') {
        const page = await findPayments(tx, environmentId, { ...everything, below }, filter, 5, 2)
        paged.push(...page.payments.map(({ id }) => id))
        below = page.next
      }
      expect(paged).toEqual(whole.filter(isWanted).map(({ id }) => id))
    }
  })
}
