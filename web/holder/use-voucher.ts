import { useCallback, useEffect, useRef, useState } from 'react'
import { type Answer, askVoucher, type Failure, type Voucher } from './ask-voucher.ts'
import { noteSeen } from './kept-vouchers.ts'
import { listenToVoucher } from './listen-to-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

export type View =
  | { readonly kind: 'asking' }
  | { readonly kind: 'shown'; readonly voucher: Voucher; readonly askedAt: Date; readonly failure: Failure | null }
  | { readonly kind: 'locked'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type AskedVoucher = {
  readonly view: View
  readonly isAsking: boolean
  /** Without a pin, asks again with the one that was right. */
  readonly ask: (pin?: string) => void
}

/** Asks for a voucher once, and again on demand. The pin lives here, in memory, for as long as the voucher is shown. */
export function useVoucher(address: VoucherAddress): AskedVoucher {
  const [view, setView] = useState<View>({ kind: 'asking' })
  const [isAsking, setIsAsking] = useState(true)
  const { code, merchantCode } = address
  const lockPin = useRef('')
  const request = useRef<AbortController>(null)
  const seen = useRef('')

  const ask = useCallback(
    (pin?: string) => {
      if (pin !== undefined) lockPin.current = pin
      request.current?.abort()
      const { signal } = (request.current = new AbortController())
      setIsAsking(true)
      void askVoucher({ code, merchantCode }, lockPin.current, signal).then((answer) => {
        if (answer === null || signal.aborted) return
        if (answer.kind === 'voucher') {
          noteSeen(answer.voucher)
          seen.current = answer.voucher.history[0]?.id ?? ''
        }
        setIsAsking(false)
        setView((before) => viewAfter(before, answer))
      })
    },
    [code, merchantCode],
  )

  useEffect(() => {
    ask()
    return () => request.current?.abort()
  }, [ask])

  const isShown = view.kind === 'shown'
  useEffect(() => {
    if (!isShown) return
    // A page that nobody looks at listens to nothing; looked at again, it asks at once.
    let listening: AbortController | null = null
    const listen = () => {
      listening?.abort()
      listening = null
      if (document.visibilityState !== 'visible') return
      listening = new AbortController()
      const hears = { seen: () => seen.current, onChange: () => ask() }
      void listenToVoucher({ code, merchantCode }, lockPin.current, hears, listening.signal)
    }
    const onLook = () => {
      listen()
      if (document.visibilityState === 'visible') ask()
    }
    listen()
    document.addEventListener('visibilitychange', onLook)
    return () => {
      document.removeEventListener('visibilitychange', onLook)
      listening?.abort()
    }
  }, [isShown, code, merchantCode, ask])

  return { view, isAsking, ask }
}

/** What is shown stays while only the way to the server is disturbed. */
function viewAfter(before: View, answer: Answer): View {
  if (answer.kind === 'voucher') return { kind: 'shown', voucher: answer.voucher, askedAt: new Date(), failure: null }
  const { failure } = answer
  if (failure.code.startsWith('VOUCHER_PIN_')) return { kind: 'locked', failure }
  const isPassing = ['UNREACHABLE', 'BROKEN', 'TOO_MANY'].includes(failure.code)
  return before.kind === 'shown' && isPassing ? { ...before, failure } : { kind: 'failed', failure }
}
