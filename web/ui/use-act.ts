import { startTransition, useRef, useState } from 'react'
import { unreachable } from './ask.ts'
import type { Answer, Refusal } from './ask-server.ts'
import { hold } from './hold.ts'

export type Act<Data> = {
  readonly state: 'idle' | 'asking' | 'checking'
  readonly done: Data | null
  readonly refusal: Refusal | null
  /** Does it. The key is the same until the server has said what became of it, so that pressing twice does it once. */
  readonly start: (perform: (key: string) => Promise<Answer<Data>>) => void
  /** Another one of the same kind. */
  readonly again: () => void
}

const lookAgainMs = 2_000
/** Said before the server has looked whether it was done: of an act whose answer was lost they tell nothing. */
const saysNothing = new Set([
  ...[unreachable, 'RATE_LIMITED', 'TOO_MANY_TRIES', 'SESSION_MISSING', 'ROLE_FORBIDDEN', 'TILL_ONLY'],
  ...['MERCHANT_NOT_FOUND', 'ROUTE_NOT_FOUND'],
])

/**
 * Something that moves money. If the answer is lost nobody knows whether it was done: the same is asked again under the same key, which
 * tells, until there is an answer. Whatever was shown may be old then.
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
    // The press is answered first; what it changes is drawn behind it.
    startTransition(() => {
      setState('asking')
      setRefusal(null)
    })
    void (async () => {
      let answer = await perform(key.current)
      if ('refusal' in answer && answer.refusal.code === unreachable)
        while ('refusal' in answer && saysNothing.has(answer.refusal.code)) {
          setState('checking')
          await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
          answer = await perform(key.current)
        }
      release()
      // What was refused was not done; what is asked for next is something new.
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
