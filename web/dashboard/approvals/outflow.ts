import type { Outflow } from '../shell/responses.ts'

/** Two different people must agree to an outflow. A staff member who requests it counts as one, an API key as none. */
export const approvalsNeeded = 2

export function countApprovals({ approvals, requester }: Outflow): number {
  return approvals + (requester === '' ? 0 : 1)
}
