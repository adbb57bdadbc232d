import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import {
  accountOf,
  type Coin,
  createVoucherModel,
  done,
  type ModelVoucher,
  type Party,
  type VoucherModel,
} from '../../../local/test/voucher-model.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { ensureBook } from '../../ledger/book.ts'
import type { HoldAct } from '../../ledger/journal.ts'
import { type Ledger, openLedger } from '../../ledger/post.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { fundingOf } from '../../identity/merchant/fund.ts'
import { setExpiredTo } from '../../identity/merchant/store.ts'

const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000
const runs = Number(process.env.LIVES_RUNS ?? 60)
const parties = ['ours', 'theirs'] as const
const coins = ['USD', 'EUR'] as const

/** Steps name vouchers, redemptions, holds and requests by any number, which picks one of those that exist. */
type Step =
  | { do: 'issue'; by: Party; coin: Coin; amount: bigint; isPaid: boolean; hasPin: boolean; days: number }
  | { do: 'redeem'; voucher: number; at: Party; percent: number | 'max'; to: Coin; hasPin: boolean }
  | { do: 'guess'; voucher: number; times: number }
  | { do: 'refund'; redemption: number; percent: number | 'rest'; isOther: boolean }
  | { do: 'cancel'; voucher: number; isOther: boolean; hasCode: boolean; hasPin: boolean }
  | { do: 'block' | 'unblock' | 'reopen' | 'replace' | 'reset-pin'; voucher: number; isOther: boolean; hasPin: boolean }
  | { do: 'hold'; voucher: number; percent: number; days: number }
  | { do: 'release'; hold: number }
  | { do: 'pass'; days: number; isWorked: boolean }
  | { do: 'repeat'; sent: number; isChanged: boolean }
  | { do: 'say rate'; rate: string }
  | { do: 'say charge'; fixed: bigint; sharePpm: bigint }
  | { do: 'say bearer'; by: Party; takes: boolean }
  | { do: 'say heir'; by: Party; to: 'payer' | 'unclaimed' }
  | { do: 'fund admin'; by: Party; amount: bigint }
  | { do: 'withdraw'; by: Party }

const any = fc.noBias(fc.nat({ max: 999 }))
const party = fc.constantFrom(...parties)
const coin = fc.constantFrom<Coin>('USD', 'USD', 'EUR')
const often = (n: number) => fc.nat({ max: n }).map((x) => x > 0)
const seldom = (n: number) => fc.nat({ max: n }).map((x) => x === 0)
const percent = fc.integer({ min: 1, max: 110 })
const days = fc.constantFrom(1, 2, 5, 15, 30, 31)
const step = (name: Step['do'], fields: object) => fc.record({ do: fc.constant(name), ...fields })
const act = (name: Step['do'], fields: object = { hasPin: fc.constant(false) }) =>
  step(name, { voucher: any, isOther: seldom(20), ...fields })

const issue = step('issue', {
  by: party,
  coin,
  amount: fc.bigInt({ min: 1n, max: 40_00n }),
  isPaid: often(4),
  hasPin: seldom(2),
  days: fc.constantFrom(0, 1, 1, 5, 15),
})
const part = <Whole extends string>(whole: Whole) => fc.oneof(percent, fc.constantFrom(1, 5, 30, whole))
const redeem = step('redeem', { voucher: any, at: party, percent: part('max'), to: coin, hasPin: often(15) })
const refund = step('refund', { redemption: any, percent: part('rest'), isOther: seldom(20) })
const replace = act('replace', { hasPin: often(3) })
const cancel = act('cancel', { hasCode: often(12), hasPin: often(12) })
const withdraw = step('withdraw', { by: party })
const guess = step('guess', { voucher: any, times: fc.integer({ min: 1, max: 6 }) })
const resetPin = act('reset-pin', { hasPin: often(1) })
const hold = step('hold', { voucher: any, percent, days })
const charges = fc.constantFrom([0n, 0n], [10n, 15_000n], [50n, 0n], [0n, 333_333n])
const settings = [
  step('say heir', { by: party, to: fc.constantFrom('payer', 'unclaimed') }),
  step('say bearer', { by: party, takes: often(3) }),
  step('fund admin', { by: party, amount: fc.bigInt({ min: 1n, max: 200n }) }),
] as const
const weights: [weight: number, of: fc.Arbitrary<unknown>][] = [
  [2, issue],
  [9, redeem],
  [1, guess],
  [9, refund],
  [2, cancel],
  [1, act('block')],
  [1, act('unblock')],
  [3, act('reopen')],
  [2, replace],
  [1, resetPin],
  [2, hold],
  [1, step('release', { hold: any })],
  [5, step('pass', { days, isWorked: often(3) })],
  [2, step('repeat', { sent: any, isChanged: seldom(2) })],
  [2, step('say rate', { rate: fc.constantFrom('0.9237', '1', '0.013', '3.0719', '0.5') })],
  [1, charges.map(([fixed, sharePpm]) => ({ do: 'say charge', fixed, sharePpm }))],
  [3, fc.oneof(...settings)],
  [1, withdraw],
]
const anyStep = fc.oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary })))
// Sequences that random steps rarely produce: a voucher that expires twice or is replaced twice, a refund of a
// cancelled voucher or by a merchant without balance, an expiry while blocked, and use with an active or an expired
// hold that the worker has not released.
const monthLater = step('pass', { days: fc.constantFrom(30, 31), isWorked: often(5) })
const dayLater = step('pass', { days: fc.constant(1), isWorked: fc.constant(false) })
const shortHold = step('hold', { voucher: any, percent: fc.constantFrom(1, 40, 100), days: fc.constantFrom(1, 3) })
const spendAll = step('redeem', {
  voucher: any,
  at: party,
  percent: fc.constant('max'),
  to: coin,
  hasPin: fc.constant(true),
})
const lateComer = fc.oneof(refund, act('reopen'), act('reopen'))
const expiresTwice = fc.tuple(redeem, monthLater, lateComer, fc.oneof(spendAll, anyStep), monthLater, lateComer)
const story = fc.oneof(
  { weight: 3, arbitrary: expiresTwice },
  { weight: 3, arbitrary: fc.tuple(shortHold, dayLater, fc.oneof(spendAll, cancel, replace)) },
  { weight: 2, arbitrary: fc.tuple(redeem, cancel, refund) },
  fc.tuple(redeem, monthLater, withdraw, withdraw, lateComer, refund),
  fc.tuple(redeem, replace, replace, refund, monthLater),
  fc.tuple(guess, guess, resetPin, fc.oneof(redeem, guess)),
  fc.tuple(act('block'), monthLater, fc.oneof(lateComer, act('unblock'))),
)
const chapter = fc.oneof({ weight: 7, arbitrary: fc.tuple(anyStep) }, { weight: 1, arbitrary: story })
const many = (minLength: number, maxLength: number) => ({ minLength, maxLength, size: 'max' }) as const
const anyLife = fc
  .tuple(
    fc.tuple(...settings),
    fc.array(issue, many(1, 2)),
    fc.array(redeem, many(0, 2)),
    fc.array(chapter, many(1, 23)).map((chapters) => chapters.flat()),
  )
  .map((parts) => parts.flat() as Step[])

let world: ApiWorld
let owner: Pool
let ledger: Ledger
let now = new Date('2026-03-01T12:00:00Z')
const bookIds = new Map<Coin, number>()
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url, () => now)
  await world.convertFree('USD', 'EUR')
  owner = createPool(ownerUrl, 4)
  ledger = openLedger({ url, clock: () => now, newId: world.newId })
  for (const of of coins) bookIds.set(of, await ensureBook(world.pool, 'test', of))
})
afterAll(async () => {
  await ledger.close()
  await owner.end()
  await world.close()
})

type Data = Record<string, unknown> & { id: string; code: string }
type Sent = { as: Party; path: string; body: Record<string, unknown>; headers: Record<string, string> }
type Told = { outcome: string; data: Data; isRepeat: boolean }

async function send({ as, path, body, headers }: Sent): Promise<Told> {
  const reply = await world.call('POST', path, { as: merchant(as), body, headers })
  const { data, error } = JSON.parse(reply.text) as { data: Data; error?: { code: string } }
  return { outcome: error?.code ?? done, data, isRepeat: reply.headers['idempotent-replayed'] === 'true' }
}
async function read<T>(as: Party, path: string): Promise<T> {
  const reply = await world.call('GET', `${SK}/${path}`, { as: merchant(as) })
  expect(reply.status, reply.text).toBe(200)
  return (JSON.parse(reply.text) as { data: T }).data
}
const merchant = (name: Party): WorldMerchant => world[name]
const other = (name: Party): Party => (name === 'ours' ? 'theirs' : 'ours')
const text = (minor: bigint): string => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
const minor = (major: unknown): bigint => BigInt(Math.round(Number(major) * 100))
/** At least one unit, so that the amount is never zero. */
const shareOf = (whole: bigint, of: number): bigint => (whole * BigInt(of)) / 100n || 1n

/** A life has its own vouchers. Those of earlier lives have ended. */
type Life = {
  readonly name: string
  readonly startedAt: Date
  readonly model: VoucherModel
  readonly made: { id: string; code: string }[]
  readonly holdIds: string[]
  readonly sent: (Sent & { first: Data; voucher?: number })[]
  references: number
}

let lives = 0
async function startLife(): Promise<Life> {
  // Let the vouchers and holds of earlier lives expire.
  now = new Date(now.getTime() + 100 * dayMs)
  for (let round = 0; round < 2; round++) await world.work()
  now = new Date(now.getTime() + dayMs)
  const balances = await readBalances([])
  const model = createVoucherModel(balances, () => now)
  const life: Life = { name: `life-${lives++}`, startedAt: now, model, made: [], holdIds: [], sent: [], references: 0 }
  // The same balances for every life, so that a failure can be reproduced alone. Low enough to run out.
  for (const [by, usd, eur] of [
    ['ours', 150_00n, 60_00n],
    ['theirs', 60_00n, 30_00n],
  ] as const) {
    await bring(life, by, 'USD', 'balance', usd)
    await bring(life, by, 'EUR', 'balance', eur)
    await bring(life, by, 'USD', 'admin', 0n)
    await perform(life, { do: 'say bearer', by, takes: false })
    await perform(life, { do: 'say heir', by, to: 'unclaimed' })
  }
  await perform(life, { do: 'say charge', fixed: 10n, sharePpm: 15_000n })
  await perform(life, { do: 'say rate', rate: '0.9237' })
  return life
}

async function bring({ model }: Life, by: Party, of: Coin, account: 'balance' | 'admin', level: bigint) {
  const kind = account === 'balance' ? 'merchant' : 'merchant_admin'
  const change = level - (model.balances.get(accountOf(of, by, kind)) ?? 0n)
  if (change === 0n) return
  const direction = change > 0n ? 'in' : 'out'
  const amount = text(change > 0n ? change : -change)
  const tools = { pool: world.pool, newId: world.newId }
  const funding = { direction, account, currency: of, amount, reference: world.newId() } as const
  await ledger.post(await fundingOf(tools, merchant(by), funding))
  model.fund(by, of, kind, change)
}

/** Usually picks one on which the step can succeed, sometimes any, to test refusals too. */
function pick<T>(n: number, all: readonly T[], isLikely: (one: T) => boolean): T {
  const likely = n % 5 === 0 ? [] : all.filter(isLikely)
  const from = likely.length === 0 ? all : likely
  return from[Math.floor(n / 5) % from.length]!
}
const isAlive = ({ state }: ModelVoucher): boolean => state === 'open' || state === 'blocked'
const isOver = ({ expiresAt = Infinity }: ModelVoucher): boolean => expiresAt <= now.getTime()

/** The outcome that the model predicts and the actual one. */
type Seen = { expected: string; actual: string }

async function perform(life: Life, step: Step): Promise<Seen | undefined> {
  const { model, made, sent } = life
  const reference = `${life.name}-${life.references++}`
  const pickVoucher = (n: number, isLikely: (voucher: ModelVoucher, left: bigint) => boolean): number =>
    pick(n, [...made.keys()], (one) => isLikely(model.vouchers[one]!, model.left(one)))
  const ask = async (
    expected: string,
    of: Omit<Sent, 'headers'> & { headers?: Sent['headers']; voucher?: number },
    isRecorded = true,
  ): Promise<Seen> => {
    const request = { headers: {}, ...of }
    const { outcome, data, isRepeat } = await send(request)
    expect(isRepeat).toBe(false)
    if (outcome === done && isRecorded) sent.push({ ...request, first: data })
    // Vouchers have the same numbers here and in the model.
    if (outcome === done && isRecorded && 'code' in data) made.push({ id: data.id, code: data.code })
    return { expected, actual: outcome }
  }
  const post = (holds: HoldAct[]): Promise<string> =>
    ledger
      .post({
        id: world.newId(),
        kind: 'test.hold',
        key: world.newId(),
        requestFingerprint: '',
        alternatives: [{ transfers: [], holds }],
      })
      .then(() => done)
      .catch((error: unknown) => (error as { code: string }).code)
  const accountAt = (n: number) => ({
    bookId: bookIds.get(model.vouchers[n]!.coin)!,
    ownerId: made[n]!.id,
    kind: 'voucher' as const,
  })
  const ignoreResult = (work: Promise<unknown>): Promise<undefined> => work.then(() => undefined)

  switch (step.do) {
    case 'issue': {
      const { by, coin: of, amount, isPaid } = step
      const pin = step.hasPin ? '4821' : undefined
      // Sandbox vouchers do not expire.
      const expiresAt = isPaid && step.days > 0 ? now.getTime() + step.days * dayMs : undefined
      const expected = model.issue({ issuer: by, coin: of, amount, isPaid, pin, expiresAt }, reference)
      const body = { amount: text(amount), currency: of, ...(pin !== undefined && { lockPin: pin }) }
      const until = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }
      return isPaid
        ? ask(expected, { as: by, path: `${SK}/vouchers`, body: { ...body, ...until, referenceId: reference } })
        : ask(expected, { as: by, path: '/sandbox/vouchers', body, headers: { 'idempotency-key': reference } })
    }
    case 'redeem': {
      const voucher = pickVoucher(step.voucher, (one, left) => one.state === 'open' && left > 0n)
      const { pin, coin: of } = model.vouchers[voucher]!
      const lockPin = step.hasPin ? pin : undefined
      const amount = step.percent === 'max' ? 'max' : shareOf(model.left(voucher), step.percent)
      const expected = model.redeem({ voucher, at: step.at, amount, to: step.to, pin: lockPin }, reference)
      const body = {
        voucherCode: made[voucher]!.code,
        amount: amount === 'max' ? amount : text(amount),
        referenceId: reference,
        ...(step.to !== of && { toCurrencyAbbreviation: step.to }),
        ...(lockPin !== undefined && { lockPin }),
      }
      return ask(expected, { as: step.at, path: '/merchant-integrations/redeem-voucher', body, voucher })
    }
    case 'guess': {
      const voucher = pickVoucher(step.voucher, (one) => one.pin !== undefined && one.state === 'open')
      if (model.vouchers[voucher]!.pin === undefined) return undefined
      for (let i = 0; i < step.times; i++) {
        const body = { voucherCode: made[voucher]!.code, amount: '0.01', lockPin: '0000', referenceId: reference }
        const expected = model.redeem({ voucher, at: 'theirs', amount: 1n, to: 'USD', pin: '0000' }, reference)
        const guess = await ask(expected, { as: 'theirs', path: '/merchant-integrations/redeem-voucher', body })
        if (guess.actual !== guess.expected) return guess
      }
      return undefined
    }
    case 'refund': {
      if (model.redemptions.length === 0) return undefined
      const redemption = pick(step.redemption, model.redemptions, (one) => one.refunded < one.amount)
      const by = step.isOther ? other(redemption.of) : redemption.of
      const amount = step.percent === 'rest' ? 'rest' : shareOf(redemption.amount, step.percent)
      const expected = model.refund({ redemption, by, amount }, reference)
      const body = {
        referenceId: redemption.reference,
        refundReferenceId: reference,
        ...(amount !== 'rest' && { amount: text(amount) }),
      }
      return ask(expected, { as: by, path: `${SK}/refund`, body })
    }
    case 'hold': {
      const voucher = pickVoucher(step.voucher, (one, left) => one.state === 'open' && left > 0n)
      const amount = shareOf(model.left(voucher), step.percent)
      const expiresAt = new Date(now.getTime() + step.days * dayMs)
      const expected = model.hold(voucher, amount, expiresAt.getTime())
      const holdId = world.newId()
      if (expected === done) life.holdIds.push(holdId)
      return {
        expected,
        actual: await post([{ act: 'reserve', holdId, account: accountAt(voucher), amount, expiresAt }]),
      }
    }
    case 'release': {
      if (model.holds.length === 0) return undefined
      const index = pick(step.hold, [...model.holds.keys()], (n) => model.holds[n]!.until > now.getTime())
      const expected = model.release(index)
      const account = accountAt(model.holds[index]!.voucher)
      return { expected, actual: await post([{ act: 'release', holdId: life.holdIds[index]!, account }]) }
    }
    case 'pass': {
      now = new Date(now.getTime() + step.days * dayMs)
      // A rate is valid for an hour.
      await setManualRate(world.pool, 'USD', 'EUR', model.settings.rate, () => now)
      if (!step.isWorked) return undefined
      model.work()
      // Expired holds are released after vouchers expire, so a voucher that they held is due in the second round.
      for (let round = 0; round < 2; round++) await world.work()
      return undefined
    }
    case 'repeat': {
      if (sent.length === 0) return undefined
      const { first, voucher, ...again } = pick(step.sent, sent, () => true)
      if (!step.isChanged) {
        const { outcome, data, isRepeat } = await send(again)
        expect(isRepeat).toBe(true)
        expect(lasting(data)).toEqual(lasting(first))
        return { expected: done, actual: outcome }
      }
      const changed = again.path.endsWith('replace')
        ? { lockPin: 'lockPin' in again.body ? undefined : '1111' }
        : { amount: text(minor(again.body.amount === 'max' ? 0 : (again.body.amount ?? 0)) + 1n) }
      const { outcome } = await send({ ...again, body: { ...again.body, ...changed } })
      const unusable = voucher === undefined ? undefined : model.whyUnusable(voucher)
      return { expected: unusable ?? 'REFERENCE_TAKEN', actual: outcome }
    }
    case 'say rate':
      model.settings.rate = step.rate
      return ignoreResult(setManualRate(world.pool, 'USD', 'EUR', step.rate, () => now))
    case 'say charge':
      model.settings.charge = step
      return ignoreResult(world.charge(step.fixed, step.sharePpm))
    case 'say bearer': {
      model.settings.takesFromBalance[step.by] = step.takes
      const body = { takeChargesFromWallet: step.takes }
      return ask(done, { as: step.by, path: '/merchant-integrations/update-admin-charges', body }, false)
    }
    case 'say heir':
      model.settings.expiredTo[step.by] = step.to
      return ignoreResult(setExpiredTo(world.pool, merchant(step.by).environmentId, step.to))
    case 'withdraw':
      for (const of of coins) await bring(life, step.by, of, 'balance', 0n)
      return undefined
    case 'fund admin': {
      model.fund(step.by, 'USD', 'merchant_admin', step.amount)
      const body = { amount: text(step.amount), currency: 'USD', account: 'admin' }
      return ask(done, { as: step.by, path: '/sandbox/fund', body }, false)
    }
    default: {
      const voucher = pickVoucher(step.voucher, (one) => isAlive(one) && isOver(one) === (step.do === 'reopen'))
      const { issuer, pin } = model.vouchers[voucher]!
      const as = step.isOther ? other(issuer) : issuer
      const path = `${SK}/vouchers/${made[voucher]!.id}/${step.do}`
      if (step.do === 'block' || step.do === 'unblock')
        return ask(model.setBlocked(voucher, as, step.do === 'block'), { as, path, body: {} }, false)
      if (step.do === 'reopen') return ask(model.reopen(voucher, as), { as, path, body: {} }, false)
      if (step.do === 'cancel') {
        const lockPin = step.hasPin ? pin : undefined
        const body = {
          ...(step.hasCode && { voucherCode: made[voucher]!.code }),
          ...(lockPin !== undefined && { lockPin }),
        }
        return ask(model.cancel(voucher, as, { hasCode: step.hasCode, pin: lockPin }), { as, path, body }, false)
      }
      const lockPin = step.hasPin ? String(1000 + life.references) : undefined
      const body = lockPin === undefined ? {} : { lockPin }
      return step.do === 'reset-pin'
        ? ask(model.resetPin(voucher, as, lockPin), { as, path, body }, false)
        : ask(model.replace(voucher, as, lockPin), { as, path, body: { ...body, referenceId: reference } })
    }
  }
}

/** The fields of a response that never change. The others show the voucher's current state. */
function lasting(data: Data): object {
  const { id, code, amount, createdAt, wasPaidFor } = data
  return 'code' in data ? { id, code, amount, createdAt, wasPaidFor } : data
}

/** The balances of both merchants, of each of these vouchers, and of all older vouchers together. */
async function readBalances(made: readonly { id: string }[]): Promise<Map<string, bigint>> {
  const { rows } = await owner.query<{ coin: Coin; owner: string; kind: string; balance: bigint }>(
    `select b.currency as coin, kind::text, sum(balance) as balance,
        case when kind = 'voucher' and owner_id <> all ($1::uuid[]) then 'older' else owner_id::text end as owner
      from ledger_accounts a join ledger_books b on b.id = a.book_id group by 1, 2, 4`,
    [made.map(({ id }) => id)],
  )
  for (const of of coins)
    expect(rows.filter((row) => row.coin === of).reduce((sum, { balance }) => sum + balance, 0n)).toBe(0n)
  const names = new Map<string, string>(made.map(({ id }, n) => [id, `voucher ${n}`]))
  for (const name of parties) names.set(merchant(name).environmentId, name)
  return new Map(rows.map((row) => [accountOf(row.coin, names.get(row.owner) ?? row.owner, row.kind), row.balance]))
}

const nonZero = (balances: Map<string, bigint>) =>
  Object.fromEntries([...balances].filter(([, balance]) => balance !== 0n).toSorted())

async function expectSame(life: Life): Promise<void> {
  const reading = readBalances(life.made)
  await Promise.all(parties.flatMap((by) => [expectSameVouchers(life, by), expectSameTransactions(life, by)]))
  expect(nonZero(await reading)).toEqual(nonZero(life.model.balances))
}

async function expectSameVouchers({ model, made, startedAt }: Life, by: Party): Promise<void> {
  const own = [...made.keys()].filter((n) => model.vouchers[n]!.issuer === by).toReversed()
  // One more than expected, so that a surplus voucher would show.
  const { vouchers } = await read<{ vouchers: Data[] }>(by, `vouchers?limit=${own.length + 1}`)
  expect(vouchers.filter(isSince(startedAt)).map(shownVoucher)).toEqual(
    own.map((n) => {
      const { amount, isPaid, pin, expiresAt } = model.vouchers[n]!
      const end = expiresAt === undefined ? '' : new Date(expiresAt).toISOString()
      const [held, left] = [model.held(n), model.left(n)]
      return [made[n]!.id, model.stateOf(n), amount, left - held, held, end, isPaid, pin !== undefined]
    }),
  )
}

/** Compares transactions with their refunds in any order, since vouchers may expire at the same time. */
async function expectSameTransactions({ startedAt, model }: Life, by: Party): Promise<void> {
  const wanted = model.transactions.filter((one) => one.of === by)
  const { transactions } = await read<{ transactions: Data[] }>(by, `transactions?limit=${wanted.length + 1}`)
  const own = transactions.filter(isSince(startedAt))
  expect(own.map(shownTransaction).toSorted()).toEqual(wanted.map(toShown).toSorted())
}

const isSince = (start: Date) => (one: Data) => new Date(String(one.createdAt)) >= start
function shownVoucher({ id, state, amount, balance, heldAmount, expiresAt, wasPaidFor, isLocked }: Data) {
  return [id, state, minor(amount), minor(balance), minor(heldAmount), expiresAt, wasPaidFor, isLocked]
}
function shownTransaction({ referenceId, type, status, amount, chargedAmount, refundedAmount }: Data) {
  // The server generates the reference of an adjustment.
  const reference = type === 'ADJUSTMENT' ? '' : referenceId
  return [reference, type, status, minor(amount), minor(chargedAmount), minor(refundedAmount)]
}
function toShown({ reference, type, amount, charged, refunded }: VoucherModel['transactions'][number]) {
  return [reference, type, refunded === amount ? 'REFUNDED' : 'COMPLETED', amount, charged, refunded]
}

test(
  'vouchers, balances and transactions match the model after every step of random lives',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyLife, async (steps) => {
        const life = await startLife()
        for (const one of steps) {
          if (life.made.length === 0 && 'voucher' in one) continue
          const seen = await perform(life, one)
          expect(seen?.actual, one.do).toBe(seen?.expected)
          await expectSame(life)
          if (!['issue', 'redeem', 'refund', 'repeat'].includes(one.do)) continue
          for (const by of parties) await expectSameTransactions(life, by)
        }
        for (const by of parties) await expectSameTransactions(life, by)
        for (const one of life.model.redemptions) {
          expect(one.refunded).toBeLessThanOrEqual(one.amount)
          const transaction = await read<Data>(one.of, `verify-transaction/${one.reference}`)
          expect(shownTransaction(transaction)).toEqual(toShown(one))
        }
      }),
      { numRuns: runs },
    )
    expect(await verifyLedger(owner)).toEqual([])
    expect(await findFaultyNumbers()).toEqual([])
  },
  60_000 + runs * 8_000,
)

/** Events with a duplicate sequence number, or with one above the version of the account. */
async function findFaultyNumbers(): Promise<unknown[]> {
  const { rows } = await owner.query<Record<string, unknown>>(
    `select environment_id, object_id, sequence, count(*) from ledger_outbox group by 1, 2, 3 having count(*) > 1
      union all
      select o.environment_id, o.object_id, o.sequence, 0 from ledger_outbox o join ledger_accounts a on a.owner_id = o.object_id
      where a.kind = 'voucher' and o.sequence > a.version`,
  )
  return rows
}
