// The player exchanges money between the currencies of a wallet: takes a quote, waits for the market, and uses the quote.
import { formatMoney } from '../../server/src/base/money.ts'
import type { User } from '../../server/src/identity/user/store.ts'
import { exchangeMoney, quoteExchange } from '../../server/src/payments/wallet/exchange.ts'
import { marketAt, planUse } from './foresight.ts'
import { type Code, decimals, type Pair, worthCents } from './market.ts'
import { chooseCents, chooseTemper } from './choices.ts'
import type { Lane, Session } from './session.ts'

const lifeMs = 2 * 60 * 1_000
const codes: readonly Code[] = ['USD', 'EUR', 'ETH']
const pairs: readonly Pair[] = codes.flatMap((from) =>
  codes.filter((to) => to !== from).map((to): Pair => ({ from, to })),
)

export function createExchangeLane(user: User): Lane {
  return { begin: (session) => exchangeOnce(session, user) }
}

async function exchangeOnce(session: Session, user: User): Promise<number> {
  const { world, tally, day, tick, dice, tolerancePpm, later } = session
  const { tools } = world
  const plan = planUse(day, { tick, lifeMs, tolerancePpm }, pairs, chooseTemper(dice))
  const { from, to } = plan
  const minor = worthCents(chooseCents(dice, 800), from, marketAt(day, tick))
  const amount = formatMoney({ minor, currency: { code: from, decimals: decimals[from] } })
  const quoted = await tally.ask(() => quoteExchange(tools, user.id, 'test', { from, to, amount }))
  if (quoted === undefined) return tick + 1
  const trip = tally.openTrip('exchange')
  later(plan.tick, async () => {
    await tally.attempt(
      trip,
      `quoted at ${marketAt(day, tick).at.toISOString()}, exchanged`,
      () => exchangeMoney(tools, { user, isSandbox: true }, 'test', { quoteId: quoted.id }),
      ({ journalId }) => journalId,
    )
  })
  return plan.tick + 1
}
