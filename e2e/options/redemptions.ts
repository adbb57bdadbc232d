// The player redeems vouchers into another currency with a quote, and refunds the redemption when that pays.
import { formatMoney } from '../../server/src/base/money.ts'
import { quoteRedemption } from '../../server/src/vouchers/redeem/quote-redemption.ts'
import { redeemVoucher } from '../../server/src/vouchers/redeem/redeem.ts'
import { chooseCents, chooseSeldom, chooseTemper } from './choices.ts'
import { marketAt, planUse } from './foresight.ts'
import { decimals, worthCents } from './market.ts'
import { createRefunds, refundablePairs, type Refunds } from './refunds.ts'
import type { Lane, Session } from './session.ts'
import type { Merchant } from './world.ts'

const lifeMs = 5 * 60 * 1_000
const reuseOneIn = 10
const partialOneIn = 4

export function createRedemptionLane(merchant: Merchant): Lane {
  const refunds = createRefunds()
  return { begin: (session) => redeemOnce(session, merchant, refunds), wake: (session) => refunds.wake(session) }
}

async function redeemOnce(session: Session, { caller, vouchers }: Merchant, refunds: Refunds): Promise<number> {
  const { world, tally, day, tick, dice, tolerancePpm, later } = session
  const { tools } = world
  const plan = planUse(day, { tick, lifeMs, tolerancePpm }, refundablePairs, chooseTemper(dice))
  const { from, to } = plan
  const promisedAt = marketAt(day, tick)
  const paid = worthCents(chooseCents(dice, 3_000), from, promisedAt)
  const amount = formatMoney({ minor: paid, currency: { code: from, decimals: decimals[from] } })
  const input = { code: vouchers[from], amount, to }
  const quoted = await tally.ask(() => quoteRedemption(tools, caller, input))
  if (quoted === undefined) return tick + 1
  const trip = tally.openTrip('redemption')
  const [isReused, isPartial] = [chooseSeldom(dice, reuseOneIn), chooseSeldom(dice, partialOneIn)]
  const { quoteId } = quoted
  const redeem = (reference: string) =>
    tally.attempt(
      trip,
      `quoted at ${promisedAt.at.toISOString()}, redeemed`,
      () => redeemVoucher(tools, caller, { ...input, reference, metadata: '{}', quoteId }),
      ({ id }) => id,
    )
  later(plan.tick, async () => {
    const reference = tools.newId()
    const redeemed = await redeem(reference)
    if (redeemed === undefined) return
    // A quote is good for one redemption.
    if (isReused) await redeem(tools.newId())
    const conversion = { from, to, paid, got: redeemed.received.minor, promisedAt }
    const refundable = { ...conversion, trip, caller, reference, whole: { minor: paid, code: from }, isPartial }
    refunds.add({ ...session, tick: plan.tick }, refundable)
  })
  return plan.tick + 1
}
