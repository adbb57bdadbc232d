import { useEffect } from 'react'
import { readStream } from '../ui/read-stream.ts'
import { listen } from './ask-wallet.ts'
import { refreshShown } from './known.ts'

const waitMsMin = 500
const waitMsMax = 30_000

/** While somebody looks, whatever is shown is asked for anew when the server says so, when he comes back, and when he is online again. */
export function useLive(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return
    let listening: AbortController | null = null
    const look = () => {
      listening?.abort()
      listening = null
      if (document.visibilityState !== 'visible') return
      refreshShown()
      listening = new AbortController()
      void keepListening(listening.signal)
    }
    look()
    document.addEventListener('visibilitychange', look)
    addEventListener('online', look)
    return () => {
      listening?.abort()
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', look)
    }
  }, [isSignedIn])
}

async function keepListening(signal: AbortSignal): Promise<void> {
  let waitMs = waitMsMin
  while (!signal.aborted) {
    try {
      const { ok, status, body } = await listen(signal)
      if (status >= 400 && status < 500 && status !== 429) return
      if (ok && body !== null) {
        // What happened while nobody listened.
        refreshShown()
        waitMs = waitMsMin
        await readStream(body, refreshShown)
      }
    } catch {
      // Offline, or nobody looks any more.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    waitMs = Math.min(waitMsMax, waitMs * 2)
  }
}
