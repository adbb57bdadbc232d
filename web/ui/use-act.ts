import { startTransition, useRef, useState } from 'react'
import { unreachable } from './request.ts'
import type { Answer, Refusal } from './send-request.ts'
import { hold } from './hold.ts'

export type Act<Data> = {
  readonly state: 'idle' | 'sending' | 'checking'
  readonly done: Data | null
  readonly refusal: Refusal | null
  /** Sends the request. The idempotency key stays the same until the server has responded, so pressing twice acts once. */
  readonly start: (perform: (key: string) => Promise<Answer<Data>>) => void
  /** Clears the outcome, for another request of the same kind. */
  readonly again: () => void
}

const retryMs = 2_000
/** Refusals that come before the server looks up the idempotency key: they do not say whether an earlier attempt succeeded. */
const inconclusiveCodes = new Set([
  unreachable,
  'RATE_LIMITED',
  'TOO_MANY_TRIES',
  'VOUCHER_GUESSING',
  'SESSION_MISSING',
  'ROLE_FORBIDDEN',
  'TILL_ONLY',
  'MERCHANT_NOT_FOUND',
  'ROUTE_NOT_FOUND',
])

/**
 * A request that moves money. If the response is lost, the hook repeats the request with the same idempotency key until the
 * server says whether it succeeded. `onAnswer` then refreshes the screen.
 */
export function useAct<Data>(onAnswer: () => void): Act<Data> {
  const [state, setState] = useState<Act<Data>['state']>('idle')
  const [done, setDone] = useState<Data | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const key = useRef(crypto.randomUUID())
  const isBusy = useRef(false)

  const start: Act<Data>['start'] = (perform) => {
    if (isBusy.current) return
    isBusy.current = true
    const release = hold()
    // The button reacts at once; the rest of the screen may render later.
    startTransition(() => {
      setState('sending')
      setRefusal(null)
    })
    void (async () => {
      const answer = await performUntilKnown(
        () => perform(key.current),
        () => setState('checking'),
      )
      release()
      // The outcome is known, so the next press is a new request.
      key.current = crypto.randomUUID()
      if ('refusal' in answer) setRefusal(answer.refusal)
      else setDone(answer.data)
      setState('idle')
      isBusy.current = false
      onAnswer()
    })()
  }
  const again = () => {
    setDone(null)
    setRefusal(null)
  }
  return { state, done, refusal, start, again }
}

/** Repeats the request after a lost response until the outcome is known. */
async function performUntilKnown<Data>(
  perform: () => Promise<Answer<Data>>,
  onLost: () => void,
): Promise<Answer<Data>> {
  let answer = await perform()
  if (!('refusal' in answer) || answer.refusal.code !== unreachable) return answer
  while ('refusal' in answer && inconclusiveCodes.has(answer.refusal.code)) {
    onLost()
    await new Promise((resolve) => setTimeout(resolve, retryMs))
    answer = await perform()
  }
  return answer
}
