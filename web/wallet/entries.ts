import { isZero } from '../ui/decimal.ts'
import { useKnown } from './known.ts'
import { isOut } from './move.ts'
import type { CoinDeposit, CoinDeposits, Move, PaymentRequest, PaymentRequests } from './request-wallet.ts'
import type { Address } from './route.ts'
import { words } from './words.ts'

/** A payment that is not in the ledger: it ended without money, or it is not confirmed yet. */
export type Unpaid = {
  readonly id: string
  readonly kind: 'request' | 'deposit'
  readonly to: Address
  readonly name: string
  readonly note: string
  /** The status, for a pill. */
  readonly status: string
  readonly isConfirming: boolean
  readonly amount: string
  readonly currency: string
  readonly at: string
}

/** The latest payment requests and deposits that ended without a payment, and deposits that are confirming. */
export function useUnpaid(): readonly Unpaid[] {
  const { data: ended } = useKnown<PaymentRequests>('/wallet/payment-requests/unpaid')
  const { data: coins } = useKnown<CoinDeposits>('/wallet/deposits')
  const deposits = (coins?.deposits ?? []).filter((each) => each.status === 'ended' || isConfirming(each))
  return [...(ended?.requests ?? []).map(ofRequest), ...deposits.map(ofDeposit)]
}

function isConfirming({ status, seen }: CoinDeposit): boolean {
  return status === 'waiting' && !isZero(seen)
}

function ofRequest(request: PaymentRequest): Unpaid {
  const { id, merchant, note, ending, amount, currency, createdAt, endedAt } = request
  return {
    id,
    kind: 'request',
    to: `/pay/${id}`,
    name: merchant,
    note,
    status: words.unpaid[ending === '' ? 'expired' : ending],
    isConfirming: false,
    amount,
    currency,
    at: endedAt ?? createdAt,
  }
}

function ofDeposit(deposit: CoinDeposit): Unpaid {
  const { id, network, amount, currency, createdAt, expiresAt } = deposit
  const confirms = isConfirming(deposit)
  return {
    id,
    kind: 'deposit',
    to: `/deposit/${id}`,
    name: words.moves.deposited,
    note: network,
    status: confirms ? words.activity.confirming : words.unpaid.depositExpired,
    isConfirming: confirms,
    amount,
    currency,
    at: confirms ? createdAt : expiresAt,
  }
}

/** An entry of the list. An exchange is one entry: `from` is what it was paid with. */
export type Entry = { readonly key: string; readonly at: string } & (
  | { readonly move: Move; readonly from?: Move | undefined }
  | { readonly unpaid: Unpaid }
)

/** Newest first. While older moves are not loaded, payments that did not happen before the last one wait for them. */
export function mergeEntries(moves: readonly Move[], unpaid: readonly Unpaid[], isComplete: boolean): readonly Entry[] {
  const oldest = isComplete ? '' : (moves.at(-1)?.createdAt ?? '')
  const others = unpaid.filter(({ at }) => at >= oldest).map((each) => ({ key: each.id, at: each.at, unpaid: each }))
  return [...joinExchanges(moves), ...others].toSorted((a, b) => b.at.localeCompare(a.at))
}

function joinExchanges(moves: readonly Move[]): readonly Entry[] {
  const isPaidPart = (move: Move): boolean => move.kind === 'exchanged' && isOut(move)
  return moves
    .filter((move) => !isPaidPart(move))
    .map((move) => ({
      key: move.id,
      at: move.createdAt,
      move,
      from: move.kind === 'exchanged' ? moves.find((each) => each.id === move.id && isPaidPart(each)) : undefined,
    }))
}

/** Whether a payment that is not in the ledger fits a search: by name, note, status or amount. */
export function fitsSearch({ name, note, status, amount }: Unpaid, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  return [name, note, status, amount].some((text) => text.toLowerCase().includes(wanted))
}
