import { useEffect, useRef } from 'react'

/** Escape goes back, from wherever the focus is. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape)
  useEffect(() => {
    latest.current = onEscape
  })
  useEffect(() => {
    const look = (event: KeyboardEvent) => {
      // One that a dialog took for itself closes the dialog only.
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('dialog[open]') === null)
        latest.current()
    }
    addEventListener('keydown', look)
    return () => removeEventListener('keydown', look)
  }, [])
}
