import { useEffect, useState } from 'react'
import { unreachable } from '../ui/ask.ts'
import type { Answer, Refusal } from '../ui/ask-server.ts'
import type { Act } from '../ui/use-act.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { isPriceRefusal, type Quote, quoteIn } from './ask-wallet.ts'

export type HeldQuote = {
  /** The price on the screen, which is the only one that a press executes. */
  readonly quote: Quote
  /** The price that was on the screen before the rate changed. */
  readonly before: Quote | null
  readonly secondsLeft: number | null
  readonly state: 'held' | 'renewing' | 'expired'
  readonly renewalRefusal: Refusal | null
  /** The user has confirmed the price before: one press executes the new one. */
  readonly isConfirmed: boolean
  /** False for a moment after the price has changed, so that a double tap on the old price does not accept the new one. */
  readonly isSettled: boolean
  readonly confirm: (pin: string | undefined) => void
  readonly confirmAgain: () => void
  readonly renew: () => void
}

type HeldQuoteOptions<Data> = {
  readonly first: Quote
  readonly acting: Act<Data>
  readonly execute: (quote: Quote, pin: string | undefined) => Promise<Answer<Data>>
  /** Gets a new price for the same conversion. It executes nothing. */
  readonly requote: () => Promise<Answer<Quote>>
}

type Held = {
  readonly quote: Quote
  readonly before: Quote | null
  /** None: it does not end. */
  readonly until: string | undefined
  readonly isRenewed: boolean
  /** Only in memory, and only until the new price is executed, refused or expired. A passkey needs no PIN. */
  readonly confirmation: { readonly pin: string | undefined } | null
}

/**
 * A price that is promised for two minutes, and what happens when it is refused or ends: the new price takes its place next to the old
 * one and waits for a press. The app asks for a new price by itself once; after that the user does, so that a screen which is left open
 * neither asks for ever nor keeps a PIN.
 */
export function useHeldQuote<Data>({ first, acting, execute, requote }: HeldQuoteOptions<Data>): HeldQuote {
  const [wasLiveAtFirst] = useState(() => isLive(first))
  const [held, setHeld] = useState<Held>(() => holdFirst(first))
  const [renewal, setRenewal] = useState<'idle' | 'asking' | Refusal>('idle')
  const secondsLeft = useSecondsUntil(held.until)
  const isSettled = useSettled(held.quote.quoteId)
  const isOver = secondsLeft === 0 && acting.state === 'idle' && acting.done === null

  const forgetConfirmation = () => setHeld((old) => (old.confirmation === null ? old : { ...old, confirmation: null }))
  const renew = () => {
    setRenewal('asking')
    void requote().then((answer) => {
      setRenewal('refusal' in answer ? answer.refusal : 'idle')
      if ('refusal' in answer) return
      // A price that had ended before this screen opened was never on offer here, so there is nothing to compare with.
      setHeld((old) => holdRenewed(answer.data, old.isRenewed || wasLiveAtFirst ? old.quote : null, null))
    })
  }
  useEffect(() => {
    if (!isOver) return
    forgetConfirmation()
    if (!held.isRenewed && renewal === 'idle') renew()
  }, [isOver, held.isRenewed, renewal])

  const confirm = (pin: string | undefined) => {
    const { quote } = held
    acting.start(async () => {
      const answer = await execute(quote, pin)
      // Nobody knows yet what became of it: the same quote is asked about again.
      if ('refusal' in answer && answer.refusal.code === unreachable) return answer
      const renewed = 'refusal' in answer ? await findNewQuote(answer.refusal, requote) : undefined
      if (renewed !== undefined && 'data' in renewed) setHeld(holdRenewed(renewed.data, quote, { pin }))
      else forgetConfirmation()
      return renewed !== undefined && 'refusal' in renewed ? renewed : answer
    })
  }
  return {
    quote: held.quote,
    before: held.before,
    secondsLeft,
    state: stateOf(held, isOver, renewal),
    renewalRefusal: typeof renewal === 'string' ? null : renewal,
    isConfirmed: held.confirmation !== null,
    isSettled: isSettled || !held.isRenewed,
    confirm,
    confirmAgain: () => {
      if (held.confirmation !== null) confirm(held.confirmation.pin)
    },
    renew,
  }
}

function isLive({ until }: Quote): boolean {
  return Date.parse(until) > Date.now()
}

/** The same currency is always 1 for 1, so its price never ends. */
function holdFirst(quote: Quote): Held {
  const until = quote.from === quote.to ? undefined : quote.until
  return { quote, before: null, until, isRenewed: false, confirmation: null }
}

function holdRenewed(quote: Quote, before: Quote | null, confirmation: Held['confirmation']): Held {
  return { quote, before, until: endOf(quote), isRenewed: true, confirmation }
}

const lifeMs = 2 * 60 * 1_000

/** When a quote that has just arrived ends. A device whose clock is wrong would end it at once, or keep a PIN for too long. */
function endOf({ until }: Quote): string {
  const leftMs = Date.parse(until) - Date.now()
  return leftMs > 0 && leftMs <= lifeMs ? until : new Date(Date.now() + lifeMs).toISOString()
}

function stateOf({ isRenewed }: Held, isOver: boolean, renewal: 'idle' | 'asking' | Refusal): HeldQuote['state'] {
  if (renewal === 'asking') return 'renewing'
  if (renewal !== 'idle') return 'expired'
  if (!isOver) return 'held'
  return isRenewed ? 'expired' : 'renewing'
}

/** The new quote that came with a refusal. If that answer was lost, the old quote is gone on the server and a new one is needed. */
function findNewQuote(refusal: Refusal, requote: () => Promise<Answer<Quote>>): Promise<Answer<Quote>> | undefined {
  if (!isPriceRefusal(refusal)) return undefined
  const quote = quoteIn(refusal)
  return quote === undefined ? requote() : Promise.resolve({ data: quote })
}

const settleMs = 800

/** Whether this quote has been on the screen for long enough to be read. */
function useSettled(quoteId: string): boolean {
  const [settledId, setSettledId] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettledId(quoteId), settleMs)
    return () => clearTimeout(timer)
  }, [quoteId])
  return settledId === quoteId
}
