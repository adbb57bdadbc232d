import { useEffect, useRef, useState } from 'react'
import type { Refusal } from '../ui/send-request.ts'
import { act, type Quote } from './request-wallet.ts'

/** What the user wants to exchange: an amount of one side. The server quotes the other side. */
export type ExchangeInput = {
  readonly from: string
  readonly to: string
  readonly side: 'pays' | 'gets'
  /** A decimal. */
  readonly amount: string
}

type State = { readonly quote: Quote | null; readonly refusal: Refusal | null; readonly isLoading: boolean }

export type LiveQuote = State & {
  /** Forgets the quote, and gets one for the input as soon as the user has stopped typing. */
  readonly follow: (input: ExchangeInput | null) => void
  /** Gets a quote for the input at once. Null: it was refused, or the user has changed the input since. */
  readonly request: (input: ExchangeInput) => Promise<Quote | null>
  readonly refuse: (refusal: Refusal) => void
}

const waitMs = 350
const nothing: State = { quote: null, refusal: null, isLoading: false }

/** The server's quote for what is typed. A quote never stays on the screen beside an input that it is not for. */
export function useLiveQuote(first: Quote | null): LiveQuote {
  const [state, setState] = useState<State>({ ...nothing, quote: first })
  const latest = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const request = async (input: ExchangeInput): Promise<Quote | null> => {
    clearTimeout(timer.current)
    const own = ++latest.current
    setState({ ...nothing, isLoading: true })
    const answer = await act<Quote>('/wallet/quotes', input)
    if (own !== latest.current) return null
    setState('data' in answer ? { ...nothing, quote: answer.data } : { ...nothing, refusal: answer.refusal })
    return 'data' in answer ? answer.data : null
  }
  const follow = (input: ExchangeInput | null): void => {
    clearTimeout(timer.current)
    latest.current++
    setState({ ...nothing, isLoading: input !== null })
    if (input !== null) timer.current = setTimeout(() => void request(input), waitMs)
  }
  const refuse = (refusal: Refusal): void => {
    latest.current++
    setState({ ...nothing, refusal })
  }
  return { ...state, follow, request, refuse }
}
