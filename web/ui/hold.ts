// While a request that moves money has no response yet, the user must stay on the page: only this page learns the outcome.
const holds = new Set<symbol>()

export function isHeld(): boolean {
  return holds.size > 0
}

/** Keeps the user on the page until the returned function is called. */
export function hold(): () => void {
  const own = Symbol('hold')
  holds.add(own)
  addEventListener('beforeunload', confirmLeaving)
  return () => {
    holds.delete(own)
    if (!isHeld()) removeEventListener('beforeunload', confirmLeaving)
  }
}

function confirmLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
