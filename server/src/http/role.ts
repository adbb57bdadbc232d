export const roles = ['owner', 'developer', 'cashier', 'accountant'] as const
/** A staff member's role at a merchant. */
export type Role = (typeof roles)[number]
