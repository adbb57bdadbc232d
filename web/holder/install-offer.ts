import { useSyncExternalStore } from 'react'

/** Chromium's beforeinstallprompt event. No standard has it, so the DOM types lack it. */
type InstallPrompt = Event & { prompt: () => Promise<unknown> }

let offer: InstallPrompt | null = null
const listeners = new Set<() => void>()

/** Call before the page renders: the browser fires the event once, early. */
export function listenForInstallOffer(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    setOffer(event as InstallPrompt)
  })
  addEventListener('appinstalled', () => setOffer(null))
}

/** Returns a function that opens the browser's install dialog, or null if the browser offers none. */
export function useInstallOffer(): (() => void) | null {
  const current = useSyncExternalStore(subscribe, () => offer)
  if (current === null) return null
  return () => {
    void current.prompt()
    // Each event can open the dialog once.
    setOffer(null)
  }
}

/** True on an iPhone or iPad. Only Apple's browsers have navigator.standalone, and a Mac has no touch screen. */
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
