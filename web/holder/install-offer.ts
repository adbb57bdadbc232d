import { useSyncExternalStore } from 'react'

/** What Chromium hands out when the page may be put on the home screen. Not in the DOM's types, as no standard has it. */
type InstallPrompt = Event & { prompt: () => Promise<unknown> }

let offer: InstallPrompt | null = null
const listeners = new Set<() => void>()

/** The browser makes its offer once and early, so someone has to listen before the page is drawn. */
export function listenForInstallOffer(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    setOffer(event as InstallPrompt)
  })
  addEventListener('appinstalled', () => setOffer(null))
}

/** The act that opens the browser's own question, or null when it has none. */
export function useInstallOffer(): (() => void) | null {
  const current = useSyncExternalStore(subscribe, () => offer)
  if (current === null) return null
  return () => {
    void current.prompt()
    // The browser answers one prompt per offer.
    setOffer(null)
  }
}

/** An iPhone or iPad. Only Apple's browsers say whether they run from the home screen; a Mac has no touch screen. */
export function isAppleTouch(): boolean {
  return 'standalone' in navigator && navigator.maxTouchPoints > 1
}

export function isOnHomeScreen(): boolean {
  const { standalone } = navigator as Navigator & { readonly standalone?: boolean }
  return standalone === true || matchMedia('(display-mode: standalone)').matches
}

function setOffer(next: InstallPrompt | null): void {
  offer = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
