import type { Auth, AuthOptions } from './auth.ts'
import type { Realm } from './store.ts'

/**
 * Resolves to the library for signing in. It takes half a second of processor time to load: an API process loads it after it has
 * started, and a worker never does.
 */
export type LoadAuth = () => Promise<Auth>

export function createLoadAuth(realm: Realm, options: AuthOptions): LoadAuth {
  let loading: Promise<Auth> | undefined
  return () => (loading ??= import('./auth.ts').then(({ createAuth }) => createAuth(realm, options)))
}
