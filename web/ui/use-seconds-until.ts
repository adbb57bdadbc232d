import { useSyncExternalStore } from 'react'

/** The whole seconds left, down to 0, or null without an end. */
export function useSecondsUntil(until: string | undefined): number | null {
  return useSyncExternalStore(onEverySecond, () => (until === undefined ? null : secondsUntil(until)))
}

function onEverySecond(update: () => void): () => void {
  const timer = setInterval(update, 1_000)
  return () => clearInterval(timer)
}

function secondsUntil(until: string): number {
  return Math.max(0, Math.ceil((new Date(until).getTime() - Date.now()) / 1_000))
}
