import { outflowError } from './errors.ts'

/** In minor units of the merchant's home currency. Null: none. */
export type OutflowRules = {
  /** Above this total of the rolling day an outflow waits for staff. */
  readonly approvalAbove: bigint | null
  /** Above this total an outflow is refused. */
  readonly daily: bigint | null
  readonly newRecipientHours: number
}

/** Live shops that have set nothing, in US cents. Test mode has no limits and no waits. */
export const liveDefaults = { approvalAbove: 1_000_00n, daily: 10_000_00n, newRecipientHours: 24 }
export const testRules: OutflowRules = { approvalAbove: null, daily: null, newRecipientHours: 0 }

export type OutflowFacts = {
  /** In the home currency. None: no rate has ever been known for it. */
  readonly homeAmount: bigint | undefined
  /** What left or waits to leave in the rolling day, without this one. */
  readonly total: bigint
  /** None: it has no recipient that could be new, such as a voucher whose code the shop hands over itself. */
  readonly isKnownRecipient: boolean | undefined
}

export type OutflowDecision = {
  readonly needsApproval: boolean
  /** How long it waits because its recipient is new. */
  readonly waitHours: number
}

/** The one rule for value that leaves a merchant's balance. Thresholds are cumulative, so splitting an amount changes nothing. */
export function decideOutflow(rules: OutflowRules, facts: OutflowFacts): OutflowDecision {
  const { approvalAbove, daily, newRecipientHours } = rules
  const total = facts.total + (facts.homeAmount ?? 0n)
  if (daily !== null && total > daily) throw outflowError('OUTFLOW_ABOVE_DAILY', { param: 'amount' })
  const hasLimits = approvalAbove !== null || daily !== null
  const isUnvalued = facts.homeAmount === undefined && hasLimits
  const isAbove = approvalAbove !== null && total > approvalAbove
  return {
    needsApproval: isUnvalued || isAbove,
    waitHours: facts.isKnownRecipient === false ? newRecipientHours : 0,
  }
}
