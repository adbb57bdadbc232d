import { type ReactNode, useEffect, useState } from 'react'
import type { Answer, Refusal } from './send-request.ts'
import { Notice } from './notice.tsx'

type Outcome = {
  /** Shows the text if the request succeeded, and the reason if it was refused. */
  readonly tell: (answer: Answer<unknown>, text: string) => void
  readonly shown: ReactNode
}

let left = ''

/** Shows the text on the next screen, because what the request was about has no screen any more. */
export function tellNext(text: string): void {
  left = text
}

/** A notice with the outcome of a request. */
export function useOutcome(say: (refusal: Refusal) => string): Outcome {
  const [notice, setNotice] = useState(left === '' ? null : { text: left, isError: false })
  useEffect(() => {
    left = ''
  }, [])
  const tell: Outcome['tell'] = (answer, text) =>
    setNotice('refusal' in answer ? { text: say(answer.refusal), isError: true } : { text, isError: false })
  const shown = (
    <div role="status">
      {notice !== null && <Notice kind={notice.isError ? 'error' : 'done'}>{notice.text}</Notice>}
    </div>
  )
  return { tell, shown }
}
