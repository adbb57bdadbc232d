import { useEffect, useState } from 'react'

/** The whole seconds left, down to 0, or null without an end. */
export function useSecondsUntil(until: string | undefined): number | null {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    if (until === undefined) return
    // The last tick may be a second old: without this, a countdown of two minutes would start at 2:01.
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  return until === undefined ? null : Math.max(0, Math.ceil((new Date(until).getTime() - nowMs) / 1_000))
}
