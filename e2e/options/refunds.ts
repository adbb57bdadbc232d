// The player refunds conversions when that pays. A refund has no deadline, so it is an option on the merchant's exchange desk.
import { formatMoney } from '../../server/src/base/money.ts'
import type { MerchantCaller } from '../../server/src/http/caller.ts'
import { refund } from '../../server/src/billing/refund/refund.ts'
import { planRefund, type Refundable } from './foresight.ts'
import { type Code, decimals, type Pair } from './market.ts'
import type { Session } from './session.ts'
import type { Trip } from './tally.ts'

/**
 * Refundable conversions have the US dollar on one side. Gains are counted in dollars: if both currencies rose against it,
 * a returned spread would look like a gain that no desk paid.
 */
export const refundablePairs: readonly Pair[] = [
  { from: 'USD', to: 'EUR' },
  { from: 'EUR', to: 'USD' },
  { from: 'USD', to: 'ETH' },
  { from: 'ETH', to: 'USD' },
]

type Conversion = Refundable & {
  readonly trip: Trip
  readonly caller: MerchantCaller
  readonly reference: string
  /** The amount of the transaction in its currency, which is what can be refunded. */
  readonly whole: { readonly minor: bigint; readonly code: Code }
  readonly isPartial: boolean
}

const daysMax = 3

export type Refunds = {
  readonly add: (session: Session, conversion: Conversion) => void
  /** Checks again the refunds that did not pay on earlier days. The player gives up after `daysMax` days. */
  readonly wake: (session: Session) => void
}

export function createRefunds(): Refunds {
  let open: { conversion: Conversion; days: number }[] = []

  /** Returns whether the rest of the day has a tick at which a refund pays. */
  const plan = (session: Session, conversion: Conversion): boolean => {
    const tick = planRefund(session.day, session.tick, conversion)
    if (tick === undefined) return false
    session.later(tick, () => refundAll(session, conversion))
    return true
  }
  return {
    add(session, conversion) {
      if (!plan(session, conversion)) open.push({ conversion, days: 1 })
    },
    wake(session) {
      const before = open
      open = []
      for (const { conversion, days } of before)
        if (!plan(session, conversion) && days < daysMax) open.push({ conversion, days: days + 1 })
    },
  }
}

/** In full or in two parts, because rounding must not pay either. */
async function refundAll({ world, tally }: Session, conversion: Conversion): Promise<void> {
  const { trip, caller, reference, whole, isPartial } = conversion
  const currency = { code: whole.code, decimals: decimals[whole.code] }
  const parts = isPartial ? [formatMoney({ minor: whole.minor / 3n, currency }), undefined] : [undefined]
  for (const [i, amount] of parts.entries())
    await tally.attempt(
      trip,
      'refunded',
      () => refund(world.tools, caller, { reference, refundReference: `${reference}-back-${i}`, amount, reason: '' }),
      ({ transaction }) => transaction.id,
    )
}
