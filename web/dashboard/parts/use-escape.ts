import { useEffect, useRef } from 'react'

/** Calls the function when Escape is pressed, wherever the focus is. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape)
  useEffect(() => {
    latest.current = onEscape
  })
  useEffect(() => {
    const look = (event: KeyboardEvent) => {
      // An Escape that closes a dialog does nothing else.
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('[role=dialog]') === null)
        latest.current()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  }, [])
}
