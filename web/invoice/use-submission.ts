import { useRef, useState } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { type Draft, type MerchantLink, submitInvoice } from './request-invoice.ts'

export type Submission = {
  readonly isSending: boolean
  readonly refusal: Refusal | null
  readonly send: (draft: Draft, onRefused: () => void) => void
  /** Removes the refusal, once the user has changed the draft that it is about. */
  readonly forgetRefusal: () => void
}

/** Submits a draft once, however often the user presses the button: an unchanged draft keeps its idempotency key. */
export function useSubmission(link: MerchantLink, onDone: (token: string) => void): Submission {
  const [isSending, setIsSending] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const last = useRef({ text: '', key: '' })

  const send = (draft: Draft, onRefused: () => void) => {
    if (isSending) return
    setIsSending(true)
    setRefusal(null)
    const text = JSON.stringify(draft)
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() }
    void submitInvoice(link, draft, last.current.key).then((answer) => {
      setIsSending(false)
      if ('refusal' in answer) {
        setRefusal(answer.refusal)
        onRefused()
      } else onDone(answer.data.token)
    })
  }
  return { isSending, refusal, send, forgetRefusal: () => setRefusal(null) }
}
