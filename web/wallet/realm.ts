/** Live mode and test mode are separate wallets: on the server, the user has an account in each. */
export type Realm = 'live' | 'test'

const realmKey = 'scrip-realm'

/** The mode in the address, or the one used last on this device. */
function readRealm(): Realm {
  const named = new URLSearchParams(location.search).get('mode')
  if (named === 'test' || named === 'live') localStorage.setItem(realmKey, named)
  return localStorage.getItem(realmKey) === 'test' ? 'test' : 'live'
}

/** Reloads the page, so that no live data stays on the screen in test mode or the reverse. */
export function chooseRealm(realm: Realm): void {
  localStorage.setItem(realmKey, realm)
  location.assign('/app')
}

export const realm: Realm = readRealm()
