/** Real money and play money are two wallets, of two people as far as the server knows. */
export type Realm = 'live' | 'test'

const realmKey = 'scrip-realm'

/** What the address names, else what was used here last. */
function readRealm(): Realm {
  const named = new URLSearchParams(location.search).get('mode')
  if (named === 'test' || named === 'live') localStorage.setItem(realmKey, named)
  return localStorage.getItem(realmKey) === 'test' ? 'test' : 'live'
}

/** Nothing of the one may stay on the screen of the other: the page is loaded again. */
export function chooseRealm(realm: Realm): void {
  localStorage.setItem(realmKey, realm)
  location.assign('/app')
}

export const realm: Realm = readRealm()
