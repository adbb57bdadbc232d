import { useEffect } from 'react'
import { readStream } from './read-stream.ts'

type Live = {
  readonly listen: (signal: AbortSignal) => Promise<Response>
  readonly onChange: () => void
}

const waitMsMin = 500
const waitMsMax = 30_000

/** While the page is visible, calls `onChange` on every server event, when the user returns to it, and when the network is back. */
export function useLive(isSignedIn: boolean, { listen, onChange }: Live): void {
  useEffect(() => {
    if (!isSignedIn) return
    let listening: AbortController | null = null
    const restart = () => {
      listening?.abort()
      listening = null
      if (document.visibilityState !== 'visible') return
      onChange()
      listening = new AbortController()
      void keepListening(listening.signal, { listen, onChange })
    }
    restart()
    document.addEventListener('visibilitychange', restart)
    addEventListener('online', restart)
    return () => {
      listening?.abort()
      document.removeEventListener('visibilitychange', restart)
      removeEventListener('online', restart)
    }
  }, [isSignedIn, listen, onChange])
}

async function keepListening(signal: AbortSignal, { listen, onChange }: Live): Promise<void> {
  let waitMs = waitMsMin
  while (!signal.aborted) {
    try {
      const { ok, status, body } = await listen(signal)
      if (status >= 400 && status < 500 && status !== 429) return
      if (ok && body !== null) {
        // Catches up on events from before the connection.
        onChange()
        waitMs = waitMsMin
        await readStream(body, onChange)
      }
    } catch {
      // Offline, or the page is hidden.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMsMax, waitMs * 2)
  }
}
