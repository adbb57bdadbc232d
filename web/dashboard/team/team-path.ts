export const teamPath = '/merchant/members'
