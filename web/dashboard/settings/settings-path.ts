export const settingsPath = '/merchant/settings'
