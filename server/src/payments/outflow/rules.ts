import { outflowError } from './errors.ts'

/** In minor units of the merchant's home currency. Null: no limit. */
export type OutflowRules = {
  /** Above this total of the rolling day an outflow waits for approval. */
  readonly approvalAbove: bigint | null
  /** Above this total an outflow is refused. */
  readonly daily: bigint | null
  readonly newRecipientHours: number
}

/** The defaults of live shops, in US cents. Test mode has no limits and no waits. */
export const liveDefaults = { approvalAbove: 1_000_00n, daily: 10_000_00n, newRecipientHours: 24 }
export const testRules: OutflowRules = { approvalAbove: null, daily: null, newRecipientHours: 0 }

export type OutflowFacts = {
  /** In the home currency. Undefined if no rate was ever known. */
  readonly homeAmount: bigint | undefined
  /** Outflows sent or waiting in the rolling day, without this one. */
  readonly total: bigint
  /** Undefined if it has no recipient, such as a voucher whose code the shop hands over itself. */
  readonly isKnownRecipient: boolean | undefined
}

export type OutflowDecision = {
  readonly needsApproval: boolean
  /** The wait for a new recipient. */
  readonly waitHours: number
}

/** True for a total above the daily limit, which no approval can exceed. */
export function isAboveDaily({ daily }: Pick<OutflowRules, 'daily'>, total: bigint): boolean {
  return daily !== null && total > daily
}

/**
 * Decides every outflow from a merchant's balance. Thresholds are cumulative, so splitting an amount changes nothing.
 */
export function decideOutflow(rules: OutflowRules, facts: OutflowFacts): OutflowDecision {
  const { approvalAbove, daily, newRecipientHours } = rules
  const total = facts.total + (facts.homeAmount ?? 0n)
  if (isAboveDaily(rules, total)) throw outflowError('OUTFLOW_ABOVE_DAILY', { param: 'amount' })
  const hasLimits = approvalAbove !== null || daily !== null
  const isUnvalued = facts.homeAmount === undefined && hasLimits
  const isAbove = approvalAbove !== null && total > approvalAbove
  return {
    needsApproval: isUnvalued || isAbove,
    waitHours: facts.isKnownRecipient === false ? newRecipientHours : 0,
  }
}
