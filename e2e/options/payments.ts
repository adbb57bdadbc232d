// The player pays a merchant from another currency of the wallet. The merchant, who is the player too, refunds it.
import { formatMoney } from '../../server/src/base/money.ts'
import { findCurrency } from '../../server/src/catalogue/currency/store.ts'
import { authorisePayment, cancelPayment } from '../../server/src/payments/request/answer-payment.ts'
import { requestPayment } from '../../server/src/payments/request/request-payment.ts'
import type { User } from '../../server/src/identity/user/store.ts'
import { quoteFor, sealQuote } from '../../server/src/payments/wallet/quote.ts'
import { chooseCents, chooseSeldom, chooseTemper } from './choices.ts'
import { marketAt, planUse } from './foresight.ts'
import { decimals, worthCents } from './market.ts'
import { createRefunds, refundablePairs, type Refunds } from './refunds.ts'
import type { Lane, Session } from './session.ts'
import type { Merchant } from './world.ts'

const lifeMs = 2 * 60 * 1_000
const partialOneIn = 4

export function createPaymentLane(user: User, merchant: Merchant): Lane {
  const refunds = createRefunds()
  return { begin: (session) => payOnce(session, user, merchant, refunds), wake: (session) => refunds.wake(session) }
}

async function payOnce(session: Session, user: User, { caller }: Merchant, refunds: Refunds): Promise<number> {
  const { world, tally, day, tick, dice, tolerancePpm, later } = session
  const { tools } = world
  const plan = planUse(day, { tick, lifeMs, tolerancePpm }, refundablePairs, chooseTemper(dice))
  const { from, to } = plan
  const promisedAt = marketAt(day, tick)
  const got = worthCents(chooseCents(dice, 800), to, promisedAt)
  const amount = formatMoney({ minor: got, currency: { code: to, decimals: decimals[to] } })
  const reference = tools.newId()
  const input = { amount, currency: to, identifier: user.email, metadata: '{}', note: '', reference }
  const requested = await tally.ask(() => requestPayment(tools, caller, input))
  if (requested === undefined) return tick + 1
  const { journalId: id } = requested
  // The wallet app shows this quote for this currency of the user.
  const gets = { minor: got, currency: await findCurrency(tools.pool, to) }
  const quote = await quoteFor(tools, gets, await findCurrency(tools.pool, from))
  const quoteId = sealQuote(tools, user.id, `payment/${id}`, quote)
  const trip = tally.openTrip('payment')
  const isPartial = chooseSeldom(dice, partialOneIn)
  later(plan.tick, async () => {
    const paid = await tally.attempt(
      trip,
      `quoted at ${promisedAt.at.toISOString()}, paid`,
      () => authorisePayment(tools, { user, isSandbox: true }, 'test', { id, quoteId }),
      ({ journalId }) => journalId,
    )
    // A merchant may have at most three open requests to one user.
    if (paid === undefined) await cancelPayment(tools, caller.environmentId, { id }, 'withdrawn')
    else {
      const conversion = { from, to, paid: quote.pays.minor, got, promisedAt }
      const refundable = { ...conversion, trip, caller, reference, whole: { minor: got, code: to }, isPartial }
      refunds.add({ ...session, tick: plan.tick }, refundable)
    }
  })
  return plan.tick + 1
}
