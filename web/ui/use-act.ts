import { startTransition, useState } from 'react'
import { hold } from './hold.ts'
import { createPayOnce, type Stage } from './pay-once.ts'
import type { Answer, Refusal } from './send-request.ts'

export type Act<Data> = {
  readonly state: 'idle' | Stage
  readonly done: Data | null
  readonly refusal: Refusal | null
  /** Sends the request. The idempotency key stays the same until the server has responded, so pressing twice acts once. */
  readonly start: (perform: (key: string) => Promise<Answer<Data>>, onAnswer?: (answer: Answer<Data>) => void) => void
  /** Clears a refusal, because the user changed what it was about. */
  readonly forget: () => void
  /** Clears the outcome, for another request of the same kind. */
  readonly again: () => void
}

const newKey = (): string => crypto.randomUUID()
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A request that moves money, sent once however often its button is pressed. `refresh` updates the screen afterwards. */
export function useAct<Data>(refresh: () => void): Act<Data> {
  const [state, setState] = useState<Act<Data>['state']>('idle')
  const [done, setDone] = useState<Data | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [payOnce] = useState(() => createPayOnce({ newKey, wait, hold }))

  const showStage = (stage: Stage): void => {
    // The button reacts at once; the rest of the screen may render later.
    startTransition(() => {
      setState(stage)
      setRefusal(null)
    })
  }
  const start: Act<Data>['start'] = (perform, onAnswer) => {
    void payOnce(perform, showStage).then((answer) => {
      if (answer === undefined) return
      if ('refusal' in answer) setRefusal(answer.refusal)
      else setDone(answer.data)
      setState('idle')
      refresh()
      onAnswer?.(answer)
    })
  }
  const forget = (): void => setRefusal(null)
  const again = (): void => {
    setDone(null)
    setRefusal(null)
  }
  return { state, done, refusal, start, forget, again }
}
