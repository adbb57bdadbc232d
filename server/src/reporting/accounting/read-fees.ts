import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Owner } from '../../http/caller.ts'
import type { FeeBearer, FeeKind } from './kinds.ts'
import { readPeriod, type Period, type PeriodInput } from './period.ts'
import { type Movement, sumMovements } from './store.ts'

export type Fee = {
  readonly currency: string
  readonly kind: FeeKind
  readonly bearer: FeeBearer
  readonly paid: bigint
  /** Taken back with the deposit that its network undid. */
  readonly returned: bigint
}

/** Fees of a period by currency, kind and bearer. */
export async function readFees(
  pool: Pool,
  { environmentId, merchantId }: Owner,
  input: PeriodInput,
  at: Date,
): Promise<{ period: Period; fees: Fee[] }> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const period = await readPeriod(tx, merchantId, input, at)
    const movements = await sumMovements(tx, environmentId, period, ['fees'])
    return { period, fees: toFees(movements.filter(({ isBefore }) => !isBefore)) }
  })
}

function toFees(movements: readonly Movement[]): Fee[] {
  const nameOf = (each: Movement): string => `${each.currency} ${kindOf(each)} ${bearerOf(each)}`
  return [...Map.groupBy(movements, nameOf).values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const paid = group.reduce((sum, { valueIn }) => sum + valueIn, 0n)
    const returned = group.reduce((sum, { valueOut }) => sum + valueOut, 0n)
    return [{ currency: first.currency, kind: kindOf(first), bearer: bearerOf(first), paid, returned }]
  })
}

function kindOf({ journalKind }: Movement): FeeKind {
  if (journalKind.startsWith('deposit.')) return 'deposit'
  if (journalKind.startsWith('payment.')) return 'payment_request'
  if (journalKind === 'payout') return 'payout'
  const isRedemption = ['voucher.redeem', 'voucher.redeem_fail', 'vault.redeemed', 'vault.undo', 'send.end']
  return isRedemption.includes(journalKind) ? 'redemption' : 'other'
}

function bearerOf({ otherKind }: Movement): FeeBearer {
  if (otherKind === 'voucher' || otherKind === 'store_voucher') return 'voucher'
  if (otherKind === 'merchant' || otherKind === 'merchant_admin') return 'merchant'
  return otherKind === 'sending' ? 'network' : 'payer'
}
