/** Every merchant, wallet and book is live or test. No real money moves in test mode. */
export const modes = ['live', 'test'] as const
export type Mode = (typeof modes)[number]
