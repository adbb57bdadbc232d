// While nobody knows whether something was done, the page is not left: what became of it would be seen by nobody.
const held = new Set<symbol>()

export function isHeld(): boolean {
  return held.size > 0
}

/** Until what it gives is called. */
export function hold(): () => void {
  const own = Symbol('held')
  held.add(own)
  addEventListener('beforeunload', askFirst)
  return () => {
    held.delete(own)
    if (!isHeld()) removeEventListener('beforeunload', askFirst)
  }
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
