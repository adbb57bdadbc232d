import { useEffect, useEffectEvent, useState } from 'react'
import { unreachable } from '../ui/request.ts'
import type { Answer, Refusal } from '../ui/send-request.ts'
import type { Act } from '../ui/use-act.ts'
import { useSecondsUntil } from '../ui/use-seconds-until.ts'
import { isPriceRefusal, type Quote, quoteIn } from './request-wallet.ts'

export type HeldQuote = {
  /** The price on the screen, the only one that the button executes. */
  readonly quote: Quote
  /** The price on the screen before the rate changed. */
  readonly before: Quote | null
  readonly secondsLeft: number | null
  readonly state: 'held' | 'renewing' | 'expired'
  readonly renewalRefusal: Refusal | null
  /** Whether the user confirmed the old price already: one press then executes the new one. */
  readonly isConfirmed: boolean
  /** False for 0.8 seconds after a price change, so that a double tap on the old price does not accept the new one. */
  readonly isSettled: boolean
  readonly confirm: (pin: string | undefined) => void
  readonly confirmAgain: () => void
  readonly renew: () => void
}

type HeldQuoteOptions<Data> = {
  readonly first: Quote
  readonly acting: Act<Data>
  readonly execute: (quote: Quote, pin: string | undefined) => Promise<Answer<Data>>
  /** Gets a new price for the same conversion, without executing it. */
  readonly requote: () => Promise<Answer<Quote>>
}

type Held = {
  readonly quote: Quote
  readonly before: Quote | null
  /** Undefined if the price does not expire. */
  readonly until: string | undefined
  readonly isRenewed: boolean
  /** In memory only, until the new price is executed, refused or expired. Without a PIN after a passkey. */
  readonly confirmation: { readonly pin: string | undefined } | null
}

/**
 * A price that the server holds for two minutes. When it is refused or expires, the screen shows a new price next to the old
 * one and waits for the user to press. The app requests a new price once by itself; after that the user does, so that a
 * screen left open neither sends requests for ever nor stores a PIN.
 */
export function useHeldQuote<Data>({ first, acting, execute, requote }: HeldQuoteOptions<Data>): HeldQuote {
  const [wasLiveAtFirst] = useState(() => isLive(first))
  const [held, setHeld] = useState<Held>(() => holdFirst(first))
  const [renewal, setRenewal] = useState<'idle' | 'loading' | Refusal>('idle')
  const secondsLeft = useSecondsUntil(held.until)
  const isSettled = useSettled(held.quote.quoteId)
  const isExpired = secondsLeft === 0 && acting.state === 'idle' && acting.done === null

  const forgetConfirmation = () => setHeld((old) => (old.confirmation === null ? old : { ...old, confirmation: null }))
  const renew = () => {
    setRenewal('loading')
    void requote().then((answer) => {
      setRenewal('refusal' in answer ? answer.refusal : 'idle')
      if ('refusal' in answer) return
      // A price that had expired before this screen opened was never offered here, so there is nothing to compare with.
      setHeld((old) => holdRenewed(answer.data, old.isRenewed || wasLiveAtFirst ? old.quote : null, null))
    })
  }
  const renewOnce = useEffectEvent(() => {
    if (!held.isRenewed && renewal === 'idle') renew()
  })
  useEffect(() => {
    if (!isExpired) return
    // eslint-disable-next-line react-hooks/set-state-in-effect -- The PIN leaves the memory when the price expires.
    forgetConfirmation()
    renewOnce()
  }, [isExpired])

  const confirm = (pin: string | undefined) => {
    const { quote } = held
    acting.start(async () => {
      const answer = await execute(quote, pin)
      // The outcome is unknown: `useAct` repeats the request with the same quote.
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
    state: stateOf(held, isExpired, renewal),
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

/** Within one currency the price is 1:1 and never expires. */
function holdFirst(quote: Quote): Held {
  const until = quote.from === quote.to ? undefined : quote.until
  return { quote, before: null, until, isRenewed: false, confirmation: null }
}

function holdRenewed(quote: Quote, before: Quote | null, confirmation: Held['confirmation']): Held {
  return { quote, before, until: expiryOf(quote), isRenewed: true, confirmation }
}

const lifeMs = 2 * 60 * 1_000

/** When a new quote expires. With a wrong clock on the device it would expire at once, or the PIN would stay in memory too long. */
function expiryOf({ until }: Quote): string {
  const leftMs = Date.parse(until) - Date.now()
  return leftMs > 0 && leftMs <= lifeMs ? until : new Date(Date.now() + lifeMs).toISOString()
}

function stateOf({ isRenewed }: Held, isExpired: boolean, renewal: 'idle' | 'loading' | Refusal): HeldQuote['state'] {
  if (renewal === 'loading') return 'renewing'
  if (renewal !== 'idle') return 'expired'
  if (!isExpired) return 'held'
  return isRenewed ? 'expired' : 'renewing'
}

/** The new quote from the refusal. If that response was lost, the server no longer has the old quote, and a new one is requested. */
function findNewQuote(refusal: Refusal, requote: () => Promise<Answer<Quote>>): Promise<Answer<Quote>> | undefined {
  if (!isPriceRefusal(refusal)) return undefined
  const quote = quoteIn(refusal)
  return quote === undefined ? requote() : Promise.resolve({ data: quote })
}

const settleMs = 800

/** Whether this quote has been on the screen long enough to read. */
function useSettled(quoteId: string): boolean {
  const [settledId, setSettledId] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettledId(quoteId), settleMs)
    return () => clearTimeout(timer)
  }, [quoteId])
  return settledId === quoteId
}
