import Type, { type Static } from 'typebox'

export const wirePushKey = Type.Object({ key: Type.String() })
export type WirePushKey = Static<typeof wirePushKey>
