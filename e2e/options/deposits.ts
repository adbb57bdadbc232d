// The player requests a deposit at a fixed price and pays it when ether has become cheaper. The platform sees the payment later.
import { formatMoney } from '../../server/src/base/money.ts'
import { requestDeposit } from '../../server/src/payments/deposit/request.ts'
import type { MerchantCaller } from '../../server/src/http/caller.ts'
import type { Chain } from './chain.ts'
import { chooseCents, chooseTemper } from './choices.ts'
import { isLower, marketAt, planUse, type Temper } from './foresight.ts'
import { decimals, type Market, type Pair, type Value, valueOf } from './market.ts'
import type { Lane, Session } from './session.ts'
import type { Trip } from './tally.ts'
import { addCaller } from './world.ts'

const lifeMs = 15 * 60 * 1_000
const pair: Pair = { from: 'ETH', to: 'USD' }
/** One of so many acts is a deposit. A deposit takes about fifty times as long as another act. */
const shareOneIn = 200
const perDayMax = 10
/** Deposits always bring ether in and pay dollars out. Without relief, a desk reaches its limit after so many. */
const perMerchant = 100
/** For how many ticks at most a payment is in a block that the platform has not read. */
const unseenTicksMax = 2
const finalAfterTicks = 2
/** The player requests a price at the best of the first ticks of a day. */
const requestTicks = 10
/** In one batch of so many, the network undoes a first payment after the platform has seen it. */
const undoneOneIn = 4
const firstUndone = 2

type Payment = { readonly wei: bigint; readonly seenAt: Market }
type Deposit = {
  readonly id: string
  readonly address: string
  readonly trip: Trip
  wasUndone: boolean
  toDeposit: bigint
  /** The payments that the platform has seen, each with the market at that moment. */
  seen: Payment[]
}

export function createDepositLane(chain: Chain): Lane {
  let made = 0
  let batches = 0
  let merchant: MerchantCaller | undefined
  return {
    /** All deposits of a day share its blocks and begin at the best moment of the day. */
    async begin(session) {
      const { tally, world, day, dice, later } = session
      const count = Math.min(perDayMax, Math.floor(tally.acts() / shareOneIn) + 1 - made)
      if (count === 0) return day.length
      if (merchant === undefined || made % perMerchant > (made + count) % perMerchant)
        merchant = await addCaller(world.tools, `DEPOSITS${made}`)
      made += count
      const isUndone = ++batches % undoneOneIn === firstUndone
      const { requestTick, seenTick } = planDeposit(session, isUndone ? 'greedy' : chooseTemper(dice))
      const caller = merchant
      later(requestTick, async () => {
        const requesting = { ...session, tick: requestTick }
        const deposits: Deposit[] = []
        for (let i = 0; i < count; i++) deposits.push(await request(requesting, chain, caller))
        if (isUndone) await payAndUndo(requesting, chain, deposits)
        payLater(requesting, chain, deposits, { requestTick, seenTick })
      })
      return day.length
    },
  }
}

/** When to request the price, and when the platform is to see the payment. */
type DepositPlan = { readonly requestTick: number; readonly seenTick: number }

/** Picks the tick of the early day after which ether falls most, and the tick at which it has fallen. */
function planDeposit({ day, tolerancePpm }: Session, temper: Temper): DepositPlan {
  const plans = Array.from({ length: requestTicks }, (_, requestTick) => {
    const { tick: seenTick, move } = planUse(day, { tick: requestTick, lifeMs, tolerancePpm }, [pair], temper)
    return { requestTick, seenTick, move }
  })
  return plans.reduce((best, plan) => (isLower(plan.move, best.move) ? plan : best))
}

async function request({ world, tally, dice }: Session, chain: Chain, merchant: MerchantCaller): Promise<Deposit> {
  const currency = { code: 'USD', decimals: decimals.USD }
  const amount = formatMoney({ minor: chooseCents(dice, 800), currency })
  const price = { amount, currency: pair.to, payWith: pair.from, networkId: chain.networkId }
  const input = { ...price, metadata: '{}', reference: world.tools.newId() }
  const { deposit } = await requestDeposit({ ...world.tools, nodes: {} }, merchant, input)
  const { id, address, toDeposit } = deposit
  return { id, address, toDeposit, seen: [], wasUndone: false, trip: tally.openTrip('deposit') }
}

/** The platform compared the price for a payment that is gone, so it must compare again for the next payment. */
async function payAndUndo({ world }: Session, chain: Chain, deposits: readonly Deposit[]): Promise<void> {
  await chain.pay(deposits.map(dueOf))
  await chain.see()
  await chain.undoLastBlock()
  await chain.see()
  for (const deposit of deposits) {
    deposit.wasUndone = true
    deposit.toDeposit = await readToDeposit(world.owner, deposit)
  }
}

/** The payment is mined at one tick, and the platform reads its block at the same or a later tick. */
function payLater(session: Session, chain: Chain, deposits: readonly Deposit[], plan: DepositPlan): void {
  const { tick, dice, later } = session
  const { requestTick, seenTick } = plan
  const payTick = Math.max(tick, seenTick - dice(unseenTicksMax + 1))
  later(payTick, async () => {
    const payments = deposits.map(dueOf)
    await chain.pay(payments)
    later(seenTick, () => seeAll({ ...session, tick: seenTick }, chain, deposits, payments, requestTick))
  })
}

function dueOf({ address, toDeposit, seen }: Deposit): { to: string; wei: bigint } {
  return { to: address, wei: toDeposit - sumOf(seen) }
}

function sumOf(seen: readonly Payment[]): bigint {
  return seen.reduce((sum, { wei }) => sum + wei, 0n)
}

/** A repriced deposit rejects its old price. The player then pays the rest once, at the best moment. */
async function seeAll(
  session: Session,
  chain: Chain,
  deposits: readonly Deposit[],
  payments: readonly { readonly wei: bigint }[],
  requestTick: number,
): Promise<void> {
  const { world, tally, day, tick, tolerancePpm, later } = session
  await chain.see()
  let isRepriced = false
  for (const [i, deposit] of deposits.entries()) {
    deposit.seen.push({ wei: payments[i]?.wei ?? 0n, seenAt: marketAt(day, tick) })
    const before = deposit.toDeposit
    deposit.toDeposit = await readToDeposit(world.owner, deposit)
    if (deposit.toDeposit === before) continue
    tally.noteAct(deposit.trip, 'REPRICED')
    isRepriced = true
  }
  const isFirst = deposits.every(({ seen }) => seen.length === 1)
  if (isRepriced && isFirst) {
    // For all of them, because they have the same price.
    const leftMs = lifeMs - (marketAt(day, tick).at.getTime() - marketAt(day, requestTick).at.getTime())
    const { tick: restTick } = planUse(day, { tick, lifeMs: leftMs, tolerancePpm }, [pair], 'careful')
    payLater(session, chain, deposits, { requestTick, seenTick: restTick })
  } else later(Math.min(tick + finalAfterTicks, day.length - 1), () => settleAll(session, chain, deposits))
}

async function readToDeposit(owner: Session['world']['owner'], { id }: Deposit): Promise<bigint> {
  const { rows } = await owner.query<{ toDeposit: bigint }>(
    'select to_deposit as "toDeposit" from deposits where id = $1',
    [id],
  )
  return rows[0]?.toDeposit ?? 0n
}

async function settleAll({ world, tally }: Session, chain: Chain, deposits: readonly Deposit[]): Promise<void> {
  await chain.settle()
  for (const { id, trip, seen, wasUndone } of deposits) {
    if (trip.acts.length > 0) continue
    const { rows } = await world.owner.query<{ credited: bigint; charge: bigint }>(
      'select credited, charge from deposits where id = $1 and credited > 0',
      [id],
    )
    const [credit] = rows
    if (credit === undefined) continue
    const paid = seen.map(({ wei, seenAt }) => `${wei} ETH seen at ${seenAt.at.toISOString()}`).join(' and ')
    const moved = `${credit.credited} USD for ${paid}, of which ${credit.charge} for gas`
    const what = wasUndone ? 'paid, undone by the network, paid again and credited' : 'paid and credited'
    tally.noteAct(trip, { what, at: world.tools.clock(), moved, gain: gainOf(credit, seen) })
  }
}

/**
 * Values each payment at the market of the moment when the platform saw it and fixed its price. After that neither side
 * has a choice: what the market does until the payment is final is chance. Gas is not part of the price.
 */
function gainOf({ credited, charge }: { credited: bigint; charge: bigint }, seen: readonly Payment[]): Value {
  const [first] = seen
  if (first === undefined) throw new Error('A deposit was credited without a payment.')
  const paid = seen.reduce((sum, { wei, seenAt }) => sum + valueOf(wei, pair.from, seenAt), 0n)
  return valueOf(credited, pair.to, first.seenAt) + valueOf(charge, pair.from, first.seenAt) - paid
}
