// Keeps the scroll position of every page in the history of the tab, so that "back" shows a list where the user left it.
const storageKey = 'scrip-scroll'
const positions = new Map<string, number>(readStored())
/** The entry of the history whose screen is rendered. It follows the address with a delay. */
let shown = ''
let stopWaiting = (): void => undefined

// A screen that still loads is too short for the position, so the browser cannot restore it.
history.scrollRestoration = 'manual'
addEventListener('scroll', () => positions.set(shown, scrollY), { passive: true })
addEventListener('pagehide', () => sessionStorage.setItem(storageKey, JSON.stringify([...positions])))

/** Scrolls to where this entry of the history was left, or to the top of a new one. */
export function showEntry(key: string): void {
  if (key === shown) return
  stopWaiting()
  shown = key
  stopWaiting = scrollWhenTall(positions.get(key) ?? 0)
}

const waitMs = 3_000

/** Waits until the page is tall enough, unless the user scrolls first. */
function scrollWhenTall(top: number): () => void {
  scrollTo(0, top)
  if (scrollY >= top - 1) return () => undefined
  const stop = (): void => {
    observer.disconnect()
    clearTimeout(timer)
    for (const name of ['wheel', 'touchstart', 'keydown']) removeEventListener(name, stop)
  }
  const observer = new ResizeObserver(() => {
    scrollTo(0, top)
    if (scrollY >= top - 1) stop()
  })
  const timer = setTimeout(stop, waitMs)
  observer.observe(document.documentElement)
  for (const name of ['wheel', 'touchstart', 'keydown']) addEventListener(name, stop, { passive: true })
  return stop
}

function readStored(): [string, number][] {
  return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]') as [string, number][]
}
