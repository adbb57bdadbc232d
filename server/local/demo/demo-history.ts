// Three months of the demo shop, played through the platform's own use cases with a clock that starts in the past.
import type { Role } from '../../src/http/caller.ts'
import type { User } from '../../src/identity/user/store.ts'
import { type Acts, type Card, createActs, type DemoMember, type DemoStage, type Sale } from './demo-acts.ts'
import { hourMs, type Past, startOfDay, startWorker, weekdayOf } from './demo-past.ts'
import { createRandom, oneOf, takeSome } from '../parts/seeded-random.ts'

export type Names = { readonly surname: string; readonly otherNames: string; readonly email: string }
/** A cashier's share of the sales, weekdays (Sunday is 0), and the fraction of the history after which they start. */
type Till = { readonly share: number; readonly weekdays: string; readonly since: number }
const cashiers: readonly (readonly [Names, Till])[] = [
  [named('Amara', 'Okafor', 'cashier'), { share: 10, weekdays: '123456', since: 0 }],
  [named('Tunde', 'Adeyemi'), { share: 6, weekdays: '01234', since: 0 }],
  [named('Zainab', 'Bello'), { share: 5, weekdays: '560', since: 0 }],
  [named('Chinedu', 'Eze'), { share: 4, weekdays: '123456', since: 2 / 3 }],
]
const payers = [named('Ngozi', 'Nwosu'), named('Kunle', 'Lawal'), named('Hauwa', 'Danjuma'), named('Femi', 'Cole')]
const wares = ['Groceries', 'Lunch', 'Coffee and cake', 'A gift', 'School things', 'Phone case', 'Fabric', 'Books']
const reasons = ['Wrong size', 'Came back unopened', 'Charged twice', 'Damaged', 'Out of stock', 'Goodwill']
/** How busy a day is, from Sunday, and an hour, from 9 in the morning. */
const dayWeights = [0.85, 0.6, 0.8, 0.9, 1, 1.45, 1.6]
const hourWeights = [0.4, 0.6, 0.8, 1.4, 1.5, 0.9, 0.7, 0.8, 1.2, 1.6, 1.1]
const salesAnHour = 2.25
/** Face values in minor units. A value that is listed more often is bought more often. */
const faces: readonly (readonly [string, number])[] = [
  ...[25_00, 50_00, 50_00, 50_00, 75_00, 100_00, 100_00, 150_00].map((face) => ['USD', face] as const),
  ...[40_00, 80_00].map((face) => ['EUR', face] as const),
  ['NGN', 60_000_00],
]
const cardsMin = 30
const salesKept = 80
const rushMax = 8
const rushMs = 25 * 60 * 1_000
const endpointAt = 0.85

export type Period = { readonly days: number; readonly until: Date }
type Moment = { readonly day: number; readonly hour: number; readonly weekday: number }
export type Cast = {
  readonly owner: DemoMember
  readonly accountant: DemoMember
  readonly hire: (names: Names, role: Role) => Promise<DemoMember>
  readonly meet: (names: Names) => Promise<User>
}
type Payer = { readonly user: User; balance: number }
type Shop = Cast & {
  readonly acts: Acts
  readonly past: Past
  readonly random: () => number
  /** Runs jobs of a worker, by name. */
  readonly work: (...names: string[]) => Promise<void>
  readonly startMs: number
  readonly days: number
  readonly dayOf: (part: number) => number
  readonly payers: Payer[]
  readonly tills: (Till & { readonly member: DemoMember })[]
  cards: Card[]
  sales: Sale[]
  hasUnanswered: boolean
  locked?: Card
}

/** One-off events: the fraction of the history, the hour of that day, and what happens. */
const oneOffEvents: readonly (readonly [number, number, (shop: Shop) => Promise<unknown>])[] = [
  [0, 8, (shop) => handOut(shop, 60, 50_00)],
  [0.1, 9, (shop) => handOut(shop, 25, 15_00, shop.startMs + shop.dayOf(0.6) * 24 * hourMs)],
  [0.15, 10, (shop) => payOut(shop, 120_00, 'Wages of a student')],
  [0.25, 14, (shop) => cancel(shop, 'Bought by mistake')],
  [0.35, 15, async (shop) => shop.acts.block(await takeCard(shop))],
  [0.4, 11, async (shop) => shop.acts.approvePayout(shop.owner, await payLater(shop, 640_00, 'Prize of the raffle'))],
  [0.45, 16, async (shop) => shop.acts.withdrawPayout(await payLater(shop, 710_00, 'Paid in cash instead'))],
  [0.5, 10, orderForChristmas],
  [0.5, 12, async (shop) => (shop.locked = await shop.acts.issue(undefined, 'USD', 80_00, { lockPin: '4821' }))],
  [0.5, 13, guessPin],
  [0.5, 15, guessPin],
  [0.55, 12, async (shop) => shop.cards.push(await shop.acts.replace(shop.accountant, await takeCard(shop)))],
  [0.6, 15, (shop) => payOut(shop, 85_00, 'Wages of a student')],
  [0.7, 14, (shop) => cancel(shop, 'Customer moved away')],
  [0.8, 16, (shop) => cancel(shop, 'Given twice')],
  [endpointAt, 9, ({ acts }) => acts.addDeadEndpoint()],
  [0.9, 11, (shop) => mailGift(shop, 'ada@demo.example')],
  [0.9, 15, (shop) => mailGift(shop, 'grace@friends.example')],
  [0.91, 10, async ({ acts }) => acts.payInvoice(await acts.takeInvoice('Bright Cleaning', 'Two weeks', 120_00))],
  [0.93, 9, ({ acts }) => acts.takeInvoice('Lekki Packaging', 'Paper bags', 186_40)],
  [0.95, 14, ({ acts }) => acts.takeInvoice('Ife Okoro', 'Window display', 240_00)],
  [0.97, 11, ({ acts }) => acts.takeInvoice('Kano Textiles', 'Aprons', 95_50)],
  // Still pending at the end.
  [0.97, 16, (shop) => payLater(shop, 780_00, 'Wages of the painter')],
]

/** Plays hour by hour from the first day until now. */
export async function makeHistory(stage: DemoStage, cast: Cast, past: Past, { days, until }: Period): Promise<void> {
  const worker = await startWorker(stage.config, past.clock)
  const startMs = startOfDay(until, days)
  const shop: Shop = {
    ...cast,
    past,
    work: worker.work,
    acts: createActs(stage),
    random: createRandom(2026),
    startMs,
    days,
    dayOf: (part) => Math.floor(part * days),
    payers: await Promise.all(payers.map(async (names) => ({ user: await cast.meet(names), balance: 0 }))),
    tills: [],
    cards: [],
    sales: [],
    hasUnanswered: false,
  }
  for (let hour = 0, fromMs = startMs; fromMs < until.getTime(); hour++, fromMs += hourMs) {
    const untilMs = Math.min(fromMs + hourMs, until.getTime())
    const moment = { day: Math.floor(hour / 24), hour: hour % 24, weekday: weekdayOf(fromMs) }
    past.go(fromMs + shop.random() * 0.3 * hourMs, untilMs, 1_000)
    if (moment.hour === 0) await endDay(shop)
    await runErrands(shop, moment)
    await sell(shop, moment, untilMs, (untilMs - fromMs) / hourMs)
  }
  past.go(until.getTime(), until.getTime(), 0)
  await worker.stop()
}

async function endDay(shop: Shop): Promise<void> {
  await shop.work('expired vouchers', 'waiting outflows', 'webhook fan-out')
  const nowMs = shop.past.nowMs()
  shop.cards = shop.cards.filter(({ endsMs }) => endsMs > nowMs)
  shop.sales = shop.sales.slice(-salesKept)
}

/** Everything except sales, one after the other. */
async function runErrands(shop: Shop, moment: Moment): Promise<void> {
  const { random, work } = shop
  const { day, hour, weekday } = moment
  if (shop.hasUnanswered) await work('unanswered payments')
  shop.hasUnanswered = false
  if (hour === 8) await openDoors(shop, day)
  if (hour === 10 && weekday === 2) await handOut(shop, 30, 75_00)
  for (const [part, at, happen] of oneOffEvents) if (day === shop.dayOf(part) && hour === at) await happen(shop)
  if (hour === 17 && shop.sales.length > 0 && random() < 0.75) await refundSome(shop)
  const cashier = pickCashier(shop, moment)
  if (weightOf(shop, moment) > 0 && cashier !== undefined && random() < 0.15) await requestPayment(shop, cashier)
  // Deliveries run for a week: then they are given up, and the endpoint is disabled.
  const watchedFor = day - shop.dayOf(endpointAt)
  if (watchedFor >= 0 && watchedFor < 7 && hour % 3 === 0) await work('webhook fan-out', 'webhook deliveries')
}

async function openDoors(shop: Shop, day: number): Promise<void> {
  const { acts } = shop
  if (day % 30 === 0)
    for (const [currency, amount] of [
      ['USD', 15_000_00],
      ['EUR', 3_000_00],
      ['NGN', 4_000_000_00],
    ] as const)
      await acts.fund(currency, amount)
  for (const [names, till] of cashiers)
    if (day === shop.dayOf(till.since)) shop.tills.push({ ...till, member: await shop.hire(names, 'cashier') })
}

/** Picks busier cashiers more often. Undefined if none works on that day. */
function pickCashier({ tills, random }: Shop, { weekday }: Moment): DemoMember | undefined {
  const here = tills.filter(({ weekdays }) => weekdays.includes(String(weekday)))
  let place = random() * here.reduce((sum, { share }) => sum + share, 0)
  return here.find(({ share }) => (place -= share) < 0)?.member
}

/** How busy the shop is in an hour. */
function weightOf({ days }: Shop, { day, hour, weekday }: Moment): number {
  const isOpen = weekday === 0 ? hour >= 12 && hour < 17 : hour >= 9 && hour < 20
  const trend = 0.8 + (0.4 * day) / days
  return isOpen ? (dayWeights[weekday] ?? 0) * (hourWeights[hour - 9] ?? 0) * trend : 0
}

/** An hour of sales. No card is used twice, so that the sales do not wait for each other. */
async function sell(shop: Shop, moment: Moment, untilMs: number, part: number): Promise<void> {
  const { random } = shop
  const weight = weightOf(shop, moment) * part
  const atTills = Math.floor(weight * salesAnHour * (0.7 + 0.6 * random()) + (weight > 0 ? random() : 0))
  const online = random() < part * (moment.hour < 7 ? 0.15 : 0.35) ? 1 : 0
  const wants = weight > 0 && random() < weight * 0.4 ? 1 : 0
  const bought = weight > 0 ? Math.max(wants, cardsMin - shop.cards.length) : 0
  const selling = takeSome(random, shop.cards, atTills + online).map((card, i) =>
    planSale(shop, card, i < atTills ? pickCashier(shop, moment) : undefined),
  )
  const buying = Array.from({ length: bought }, () => planPurchase(shop, moment))
  await inRushes(shop, takeSome(random, [...selling, ...buying], selling.length + bought), untilMs)
  // The rest on these cards is too small to spend.
  shop.cards = shop.cards.filter(({ left, face }) => left > 0.03 * face)
}

/** Started later. Its result is recorded in the order of the plan, not of completion. */
type Planned = () => Promise<() => unknown>

function planSale(shop: Shop, card: Card, by: DemoMember | undefined): Planned {
  const { acts, random } = shop
  const step = card.currency === 'NGN' ? 50_00 : 5
  const wanted = Math.max(1, Math.round((card.face * (0.06 + 0.3 * random())) / step)) * step
  const note = oneOf(random, wares)
  return async () => {
    const sale = await acts.sell(by, card, wanted, note)
    return () => shop.sales.push(sale)
  }
}

function planPurchase(shop: Shop, moment: Moment): Planned {
  const { acts, random } = shop
  const by = random() < 0.6 ? pickCashier(shop, moment) : undefined
  const name = `guest${Math.floor(random() * 200)}@mail.example`
  const terms = by === undefined ? { recipient: { kind: 'email', name } as const } : {}
  const [currency, face] = oneOf(random, faces)
  return async () => {
    const card = await acts.issue(by, currency, face, terms)
    return () => shop.cards.push(card)
  }
}

/** Runs a few at once within minutes: the ledger posts them together, so a journal is not much younger than its payment. */
async function inRushes({ past, random }: Shop, planned: readonly Planned[], untilMs: number): Promise<void> {
  const count = Math.ceil(planned.length / rushMax)
  const [startMs, eachMs] = [past.nowMs(), (untilMs - past.nowMs()) / count]
  const lastsMs = Math.min(rushMs, eachMs)
  for (let i = 0; i < count; i++) {
    const some = planned.slice(i * rushMax, (i + 1) * rushMax)
    // Each reads the clock about eight times.
    past.go(startMs + i * eachMs + random() * (eachMs - lastsMs), untilMs, lastsMs / (9 * some.length))
    for (const note of await Promise.all(some.map((begin) => begin()))) note()
  }
}

/** Orders a batch and hands its vouchers out as soon as they are issued. */
async function handOut(
  { acts, accountant, work, cards }: Shop,
  size: number,
  face: number,
  endsMs?: number,
): Promise<void> {
  const exportCards = await acts.orderBatch(accountant, size, face, endsMs)
  await work('voucher batches')
  cards.push(...(await exportCards()))
}

/** Orders a batch that is not handed out yet. */
async function orderForChristmas({ acts, accountant, work }: Shop): Promise<void> {
  await acts.orderBatch(accountant, 100, 20_00)
  await work('voucher batches')
}

/** Refunds a recent sale in full or in part. */
async function refundSome({ acts, accountant, random, sales }: Shop): Promise<void> {
  const [sale] = sales.splice(Math.floor(random() * sales.length), 1)
  const part = random() < 0.5 ? undefined : Math.floor(random() * 0.6 * (sale?.amount ?? 0)) + 1
  if (sale !== undefined) await acts.giveBack(accountant, sale, part, oneOf(random, reasons))
}

async function requestPayment(shop: Shop, cashier: DemoMember): Promise<void> {
  const { acts, payers: all, random } = shop
  const payer = oneOf(random, all)
  const amount = Math.round(4_00 + random() * 38_00)
  const chance = random()
  const end = chance < 0.75 ? 'pays' : chance < 0.87 ? 'declines' : 'ignores'
  if (payer.balance < amount) {
    await acts.fundUser(payer.user, 250_00)
    payer.balance += 250_00
  }
  await acts.requestPayment(cashier, payer.user, { amount, note: oneOf(random, wares) }, end)
  if (end === 'pays') payer.balance -= amount
  if (end === 'ignores') shop.hasUnanswered = true
}

function payOut({ acts, accountant, payers: all, random }: Shop, amount: number, what: string): Promise<string> {
  return acts.payUser(accountant, oneOf(random, all).user, amount, what)
}

/** The same, but it needs a second person's approval. */
function payLater({ acts, accountant, payers: all, random }: Shop, amount: number, what: string): Promise<string> {
  return acts.payWithApproval(accountant, oneOf(random, all).user, amount, what)
}

/** Takes a single voucher from a customer. */
async function takeCard(shop: Shop): Promise<Card> {
  const own = shop.cards.filter(({ id, currency }) => id !== '' && currency === 'USD')
  const card = own.length > 0 ? oneOf(shop.random, own) : await shop.acts.issue(undefined, 'USD', 50_00)
  shop.cards = shop.cards.filter((other) => other !== card)
  // A sale with this card cannot be refunded any more.
  shop.sales = shop.sales.filter((sale) => sale.card !== card)
  return card
}

async function cancel(shop: Shop, reason: string): Promise<void> {
  await shop.acts.cancel(shop.accountant, await takeCard(shop), reason)
}

async function guessPin({ acts, locked }: Shop): Promise<void> {
  if (locked !== undefined) await acts.guessPin(locked)
}

async function mailGift({ acts, cards }: Shop, name: string): Promise<void> {
  cards.push(
    await acts.issue(undefined, 'USD', 50_00, { recipient: { kind: 'email', name }, gift: { language: 'en' } }),
  )
}

function named(otherNames: string, surname: string, mailbox = otherNames.toLowerCase()): Names {
  return { surname, otherNames, email: `${mailbox}@demo.example` }
}
