/** Live mode and test mode are separate wallets: on the server, the user has an account in each. */
export type Realm = 'live' | 'test'

const realmKey = 'scrip-realm'

/** The mode in the address, or of this tab, or the one used last on this device. */
function readRealm(): Realm {
  const named = new URLSearchParams(location.search).get('mode')
  if (named === 'test' || named === 'live') {
    storeRealm(named)
    return named
  }
  const stored = sessionStorage.getItem(realmKey) ?? localStorage.getItem(realmKey)
  const found = stored === 'test' ? 'test' : 'live'
  // Another tab may change the mode of the device. This one stays in its own, also after its session has ended.
  sessionStorage.setItem(realmKey, found)
  return found
}

function storeRealm(realm: Realm): void {
  localStorage.setItem(realmKey, realm)
  sessionStorage.setItem(realmKey, realm)
}

/** Reloads the page, so that no live data stays on the screen in test mode or the reverse. */
export function chooseRealm(realm: Realm): void {
  storeRealm(realm)
  location.assign('/app')
}

export const realm: Realm = readRealm()
