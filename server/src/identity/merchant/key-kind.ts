// Imports nothing, since the web pages use it too.
export const keyKinds = ['public', 'secret'] as const
export type KeyKind = (typeof keyKinds)[number]
