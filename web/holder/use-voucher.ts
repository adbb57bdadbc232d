import { useCallback, useEffect, useRef, useState } from 'react'
import type { Answer } from '../ui/send-request.ts'
import { actOnVoucher, fetchVoucher, type Failure, type Voucher, type VoucherResponse } from './request-voucher.ts'
import { updateSaved } from './saved-vouchers.ts'
import { listenToVoucher } from './listen-to-voucher.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

export type View =
  | { readonly kind: 'loading' }
  | { readonly kind: 'shown'; readonly voucher: Voucher; readonly updatedAt: Date; readonly failure: Failure | null }
  | { readonly kind: 'locked'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure }

export type RequestedVoucher = {
  readonly view: View
  readonly isLoading: boolean
  /** Without a PIN, uses the last one entered. */
  readonly load: (pin?: string) => void
  readonly act: ActOnVoucher
}

/** Sends a request about the voucher, with its code and PIN. */
export type ActOnVoucher = <Data>(path: string, more: object, key?: string) => Promise<Answer<Data>>

// No event says that a transaction was sent, and one may come between the read and the start of the stream.
const followMs = 5_000

/** Loads a voucher, and again at every change. The PIN stays in memory only, for as long as the page shows the voucher. */
export function useVoucher(address: VoucherAddress): RequestedVoucher {
  const [view, setView] = useState<View>({ kind: 'loading' })
  const [isLoading, setIsLoading] = useState(true)
  const { code, merchantCode } = address
  const lockPin = useRef('')
  const request = useRef<AbortController>(null)
  const newestId = useRef('')

  const fetchAgain = useCallback(
    (pin?: string) => {
      if (pin !== undefined) lockPin.current = pin
      request.current?.abort()
      const { signal } = (request.current = new AbortController())
      void fetchVoucher({ code, merchantCode }, lockPin.current, signal).then((response) => {
        if (response === null || signal.aborted) return
        if (response.kind === 'voucher') {
          updateSaved(response.voucher)
          newestId.current = response.voucher.history[0]?.id ?? ''
        }
        setIsLoading(false)
        setView((before) => viewAfter(before, response))
      })
    },
    [code, merchantCode],
  )
  const load = useCallback(
    (pin?: string) => {
      setIsLoading(true)
      fetchAgain(pin)
    },
    [fetchAgain],
  )

  useEffect(() => {
    fetchAgain()
    return () => request.current?.abort()
  }, [fetchAgain])

  const isShown = view.kind === 'shown'
  useEffect(() => {
    if (!isShown) return
    const listener = { newestId: () => newestId.current, onChange: () => load() }
    return listenWhileVisible(
      (signal) => void listenToVoucher({ code, merchantCode }, lockPin.current, listener, signal),
      () => load(),
    )
  }, [isShown, code, merchantCode, load])

  const isMoving = view.kind === 'shown' && isOnTheMove(view.voucher)
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => document.visibilityState === 'visible' && load(), followMs)
    return () => clearInterval(timer)
  }, [isMoving, load])

  const act: ActOnVoucher = (path, more, key) => actOnVoucher(path, { code, merchantCode }, lockPin.current, more, key)
  return { view, isLoading, load, act }
}

/** Whether its network is about to change it. */
function isOnTheMove({ onchain, history }: Voucher): boolean {
  const isWaiting = onchain !== null && onchain.state !== 'open'
  return isWaiting || history.some(({ payout }) => payout?.status === 'PROCESSING')
}

/** Listens only while the page is visible. `onReturn` runs when the user comes back to it. Returns a function that stops. */
function listenWhileVisible(listen: (signal: AbortSignal) => void, onReturn: () => void): () => void {
  let listening: AbortController | null = null
  const restart = () => {
    listening?.abort()
    listening = null
    if (document.visibilityState !== 'visible') return
    listening = new AbortController()
    listen(listening.signal)
  }
  const onVisibilityChange = () => {
    restart()
    if (document.visibilityState === 'visible') onReturn()
  }
  restart()
  document.addEventListener('visibilitychange', onVisibilityChange)
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange)
    listening?.abort()
  }
}

/** A voucher that is shown stays visible when a refresh fails for a temporary reason. */
function viewAfter(before: View, response: VoucherResponse): View {
  if (response.kind === 'voucher')
    return { kind: 'shown', voucher: response.voucher, updatedAt: new Date(), failure: null }
  const { failure } = response
  if (failure.code.startsWith('VOUCHER_PIN_')) return { kind: 'locked', failure }
  const isTemporary = ['UNREACHABLE', 'BROKEN', 'TOO_MANY'].includes(failure.code)
  return before.kind === 'shown' && isTemporary ? { ...before, failure } : { kind: 'failed', failure }
}
