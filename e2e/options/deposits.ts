// The player asks for the price of a deposit, and pays it when ether has become cheaper. The platform sees the payment later.
import { formatMoney } from '../../server/src/base/money.ts'
import { requestDeposit } from '../../server/src/deposit/request.ts'
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
/** Of all acts. A deposit takes some fifty times as long as another act. */
const shareOneIn = 200
const perDayMax = 10
/** Deposits take ether in and give dollars out, always: a desk that is never relieved reaches its limit after so many. */
const perMerchant = 100
/** For how many ticks at most a payment is in a block that the platform has not read. */
const unseenTicksMax = 2
const finalAfterTicks = 2
/** Among so many ticks the player chooses when to ask for a price. */
const askTicks = 10
/** In one batch of so many, a first payment is seen and then undone by the network. */
const undoneOneIn = 4
const firstUndone = 2

type Payment = { readonly wei: bigint; readonly seenAt: Market }
type Deposit = {
  readonly id: string
  readonly address: string
  readonly trip: Trip
  wasUndone: boolean
  toDeposit: bigint
  /** What the platform has seen, and the market of that moment. */
  seen: Payment[]
}

export function createDepositLane(chain: Chain): Lane {
  let made = 0
  let batches = 0
  let merchant: MerchantCaller | undefined
  return {
    /** All deposits of a day share its blocks, and begin at its best moment. */
    async begin(session) {
      const { tally, world, day, dice, later } = session
      const count = Math.min(perDayMax, Math.floor(tally.acts() / shareOneIn) + 1 - made)
      if (count === 0) return day.length
      if (merchant === undefined || made % perMerchant > (made + count) % perMerchant)
        merchant = await addCaller(world.tools, `DEPOSITS${made}`)
      made += count
      const isUndone = ++batches % undoneOneIn === firstUndone
      const { askTick, seenTick } = planDeposit(session, isUndone ? 'greedy' : chooseTemper(dice))
      const caller = merchant
      later(askTick, async () => {
        const asked = { ...session, tick: askTick }
        const deposits: Deposit[] = []
        for (let i = 0; i < count; i++) deposits.push(await request(asked, chain, caller))
        if (isUndone) await payAndUndo(asked, chain, deposits)
        payLater(asked, chain, deposits, { askTick, seenTick })
      })
      return day.length
    },
  }
}

/** When to ask for the price, and when the platform is to see the payment. */
type DepositPlan = { readonly askTick: number; readonly seenTick: number }

/** Of the first ticks of a day, the one after which ether falls most, and when it has. */
function planDeposit({ day, tolerancePpm }: Session, temper: Temper): DepositPlan {
  const plans = Array.from({ length: askTicks }, (_, askTick) => {
    const { tick: seenTick, move } = planUse(day, { tick: askTick, lifeMs, tolerancePpm }, [pair], temper)
    return { askTick, seenTick, move }
  })
  return plans.reduce((best, plan) => (isLower(plan.move, best.move) ? plan : best))
}

async function request({ world, tally, dice }: Session, chain: Chain, merchant: MerchantCaller): Promise<Deposit> {
  const currency = { code: 'USD', decimals: decimals.USD }
  const amount = formatMoney({ minor: chooseCents(dice, 800), currency })
  const wish = { amount, currency: pair.to, payWith: pair.from, networkId: chain.networkId }
  const ask = { ...wish, metadata: '{}', reference: world.tools.newId() }
  const { deposit } = await requestDeposit({ ...world.tools, nodes: {} }, merchant, ask)
  const { id, address, toDeposit } = deposit
  return { id, address, toDeposit, seen: [], wasUndone: false, trip: tally.openTrip('deposit') }
}

/** A price that was compared with the market for a payment that is gone must be compared again for the next one. */
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

/** The payment is in a block at one tick, and the platform reads that block at the same or a later one. */
function payLater(session: Session, chain: Chain, deposits: readonly Deposit[], plan: DepositPlan): void {
  const { tick, dice, later } = session
  const { askTick, seenTick } = plan
  const payTick = Math.max(tick, seenTick - dice(unseenTicksMax + 1))
  later(payTick, async () => {
    const payments = deposits.map(dueOf)
    await chain.pay(payments)
    later(seenTick, () => seeAll({ ...session, tick: seenTick }, chain, deposits, payments, askTick))
  })
}

function dueOf({ address, toDeposit, seen }: Deposit): { to: string; wei: bigint } {
  return { to: address, wei: toDeposit - sumOf(seen) }
}

function sumOf(seen: readonly Payment[]): bigint {
  return seen.reduce((sum, { wei }) => sum + wei, 0n)
}

/** A repriced deposit refuses the price that it had. The player pays the rest once, when that is best. */
async function seeAll(
  session: Session,
  chain: Chain,
  deposits: readonly Deposit[],
  payments: readonly { readonly wei: bigint }[],
  askTick: number,
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
    // All of them: they were asked for at one price.
    const leftMs = lifeMs - (marketAt(day, tick).at.getTime() - marketAt(day, askTick).at.getTime())
    const { tick: restTick } = planUse(day, { tick, lifeMs: leftMs, tolerancePpm }, [pair], 'careful')
    payLater(session, chain, deposits, { askTick, seenTick: restTick })
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
 * Each payment counts at the market of the moment in which the platform saw it and fixed its price. From then on neither side has a
 * choice: what the market does until the payment is final is chance. Gas is no part of the price.
 */
function gainOf({ credited, charge }: { credited: bigint; charge: bigint }, seen: readonly Payment[]): Value {
  const [first] = seen
  if (first === undefined) throw new Error('A deposit was credited, and nothing was paid.')
  const paid = seen.reduce((sum, { wei, seenAt }) => sum + valueOf(wei, pair.from, seenAt), 0n)
  return valueOf(credited, pair.to, first.seenAt) + valueOf(charge, pair.from, first.seenAt) - paid
}
