import { useEffect, useState } from 'react'

/** Whole seconds, down to 0; nothing where there is nothing to wait for. */
export function useSecondsUntil(until: string | undefined): number | null {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    if (until === undefined) return
    // The last tick may be a second old: without this a new end of two minutes starts at 2:01.
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  return until === undefined ? null : Math.max(0, Math.ceil((new Date(until).getTime() - nowMs) / 1_000))
}
