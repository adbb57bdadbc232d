import { isHeld } from './hold.ts'

const storageKey = 'scrip-reloaded'
const everyMs = 60_000

/** A page that was open during an upgrade asks for files that no longer exist: it is loaded again, at most once a minute. */
export function reloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', () => {
    const lastMs = Number(sessionStorage.getItem(storageKey) ?? 0)
    if (isHeld() || !navigator.onLine || Date.now() - lastMs < everyMs) return
    sessionStorage.setItem(storageKey, String(Date.now()))
    location.reload()
  })
}
