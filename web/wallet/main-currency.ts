const storageKey = 'scrip-currency'

/** The currency of the total balance that the user chose on this device. Empty: the server chooses it. */
export function readMainCurrency(): string {
  return localStorage.getItem(storageKey) ?? ''
}

export function chooseMainCurrency(code: string): void {
  if (code === '') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, code)
}

/** The balances and the total of the wallet. */
export function walletPath(): string {
  const code = readMainCurrency()
  return code === '' ? '/wallet' : `/wallet?currency=${encodeURIComponent(code)}`
}
