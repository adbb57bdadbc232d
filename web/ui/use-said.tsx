import { useState } from 'react'
import type { Answer, Refusal } from './ask-server.ts'
import { Notice } from './notice.tsx'

/** What came of an act, in a sentence. */
export function useSaid(say: (refusal: Refusal) => string) {
  const [said, setSaid] = useState<{ readonly text: string; readonly isError: boolean } | null>(null)
  const tell = (answer: Answer<unknown>, text: string) =>
    setSaid('refusal' in answer ? { text: say(answer.refusal), isError: true } : { text, isError: false })
  const shown = (
    <div role="status">{said !== null && <Notice kind={said.isError ? 'error' : 'info'}>{said.text}</Notice>}</div>
  )
  return { tell, shown }
}
