import { type ReactNode, useState } from 'react'
import type { Answer, Refusal } from './send-request.ts'
import { Notice } from './notice.tsx'

type Outcome = {
  /** Shows the text if the request succeeded, and the reason if it was refused. */
  readonly tell: (answer: Answer<unknown>, text: string) => void
  readonly shown: ReactNode
}

/** A notice with the outcome of a request. */
export function useOutcome(say: (refusal: Refusal) => string): Outcome {
  const [notice, setNotice] = useState<{ readonly text: string; readonly isError: boolean } | null>(null)
  const tell: Outcome['tell'] = (answer, text) =>
    setNotice('refusal' in answer ? { text: say(answer.refusal), isError: true } : { text, isError: false })
  const shown = (
    <div role="status">
      {notice !== null && <Notice kind={notice.isError ? 'error' : 'done'}>{notice.text}</Notice>}
    </div>
  )
  return { tell, shown }
}
