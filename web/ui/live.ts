import { useEffect } from 'react'
import { readStream } from './read-stream.ts'

type Live = {
  readonly listen: (signal: AbortSignal) => Promise<Response>
  readonly onChange: () => void
}

const waitMsMin = 500
const waitMsMax = 30_000

/** While somebody looks, whatever is shown is asked for anew when the server says so, when he comes back, and when he is online again. */
export function useLive(isSignedIn: boolean, { listen, onChange }: Live): void {
  useEffect(() => {
    if (!isSignedIn) return
    let listening: AbortController | null = null
    const look = () => {
      listening?.abort()
      listening = null
      if (document.visibilityState !== 'visible') return
      onChange()
      listening = new AbortController()
      void keepListening(listening.signal, { listen, onChange })
    }
    look()
    document.addEventListener('visibilitychange', look)
    addEventListener('online', look)
    return () => {
      listening?.abort()
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', look)
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
        // What happened while nobody listened.
        onChange()
        waitMs = waitMsMin
        await readStream(body, onChange)
      }
    } catch {
      // Offline, or nobody looks any more.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMsMax, waitMs * 2)
  }
}
