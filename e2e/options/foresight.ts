// What the player knows: every rate of a day in advance, and every rule of the platform.
import { type Market, type Pair, type Value, valueOf } from './market.ts'

/** A greedy player uses a price when it would win most, a careful one when it would win most within the tolerance. */
export type Temper = 'greedy' | 'careful'

/** When to use a price that the platform promised at a tick of the day. */
export type Plan = Pair & { readonly tick: number; readonly move: Move }

type Promised = { readonly tick: number; readonly lifeMs: number; readonly tolerancePpm: bigint }

/** The rate of a tick divided by the rate at which a price was promised. The lower, the more the promise is worth. */
type Move = { readonly numerator: bigint; readonly denominator: bigint }

function moveOf({ from, to }: Pair, then: Market, now: Market): Move {
  return { numerator: now.micro[from] * then.micro[to], denominator: now.micro[to] * then.micro[from] }
}

export function isLower(a: Move, b: Move): boolean {
  return a.numerator * b.denominator < b.numerator * a.denominator
}

/** The pair, and the tick within the lifetime of its quote, at which the quote is worth most. */
export function planUse(day: readonly Market[], promised: Promised, pairs: readonly Pair[], temper: Temper): Plan {
  const { tick: first, lifeMs, tolerancePpm } = promised
  const then = marketAt(day, first)
  const tolerated: Move = { numerator: 1_000_000n - tolerancePpm, denominator: 1_000_000n }
  let best: Plan | undefined
  for (const pair of pairs) {
    for (let tick = first; tick < day.length; tick++) {
      const now = marketAt(day, tick)
      if (now.at.getTime() - then.at.getTime() >= lifeMs) break
      const move = moveOf(pair, then, now)
      if (temper === 'careful' && isLower(move, tolerated)) continue
      if (best === undefined || isLower(move, best.move)) best = { ...pair, tick, move }
    }
  }
  if (best === undefined) throw new Error('There is no pair to choose from.')
  return best
}

/** A conversion that its merchant can refund: what the payer paid, what the merchant got, and the market of its price. */
export type Refundable = Pair & { readonly paid: bigint; readonly got: bigint; readonly promisedAt: Market }

/** The tick at which a refund gains most, or undefined if it never gains. */
export function planRefund(day: readonly Market[], first: number, conversion: Refundable): number | undefined {
  let best: { tick: number; gain: Value } | undefined
  for (let tick = first; tick < day.length; tick++) {
    const gain = gainOfRefund(conversion, marketAt(day, tick))
    if (gain > 0n && (best === undefined || gain > best.gain)) best = { tick, gain }
  }
  return best?.tick
}

/** The payer gets back the amount paid, or less if the payer's currency has risen since. */
function gainOfRefund({ from, to, paid, got, promisedAt }: Refundable, now: Market): Value {
  const { numerator, denominator } = moveOf({ from, to }, promisedAt, now)
  const back = numerator <= denominator ? paid : (paid * denominator) / numerator
  return valueOf(back, from, now) - valueOf(got, to, now)
}

export function marketAt(day: readonly Market[], tick: number): Market {
  const market = day[tick]
  if (market === undefined) throw new Error(`The day has no tick ${tick}.`)
  return market
}
