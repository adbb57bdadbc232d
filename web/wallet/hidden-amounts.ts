import { useSyncExternalStore } from 'react'

const storageKey = 'scrip-amounts'
const listeners = new Set<() => void>()

/** Whether the user has hidden balances and activity on this device, for example to open the app on a bus. */
export function useAreAmountsHidden(): boolean {
  return useSyncExternalStore(listen, areHidden)
}

export function hideAmounts(isHidden: boolean): void {
  if (isHidden) localStorage.setItem(storageKey, 'hidden')
  else localStorage.removeItem(storageKey)
  for (const update of listeners) update()
}

function areHidden(): boolean {
  return localStorage.getItem(storageKey) === 'hidden'
}

function listen(update: () => void): () => void {
  listeners.add(update)
  return () => listeners.delete(update)
}
