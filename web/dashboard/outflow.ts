import type { Outflow } from './answers.ts'

/** Two different people stand behind an outflow: a staff member who requests it counts as one, an API key as none. */
export const approvalsNeeded = 2

export function countApprovals({ approvals, requester }: Outflow): number {
  return approvals + (requester === '' ? 0 : 1)
}
