import { batched } from '../base/batched.ts'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool } from '../base/db.ts'
import { tell } from '../ledger/store.ts'
import { voucherError } from './errors.ts'
import type { KeyRing } from './key-ring.ts'
import { lockPins, savePins } from './store.ts'

export type PinCount = { readonly wrongInRow: number; readonly wrongInAll: number; readonly lockedUntil: Date | null }

type Tried = {
  readonly verdict: 'right' | 'wrong' | 'locked' | 'frozen'
  readonly count: PinCount
  /** This was the guess that froze it. */
  readonly froze: boolean
}

const lockMs = 15 * 60 * 1_000
const inRowMax = 5
const inAllMax = 10

/** Compares only what the count has room for. A right pin ends a row of wrong ones; only the issuer resets their sum. */
export function tryPin(count: PinCount, isRight: () => boolean, at: Date): Tried {
  if (count.wrongInAll >= inAllMax) return { verdict: 'frozen', count, froze: false }
  if (count.lockedUntil !== null && count.lockedUntil > at) return { verdict: 'locked', count, froze: false }
  const inRow = count.lockedUntil === null ? count.wrongInRow : 0
  if (isRight()) return { verdict: 'right', count: { ...count, wrongInRow: 0, lockedUntil: null }, froze: false }
  const wrongInRow = inRow + 1
  const wrongInAll = count.wrongInAll + 1
  const lockedUntil = wrongInRow >= inRowMax ? new Date(at.getTime() + lockMs) : null
  return { verdict: 'wrong', count: { wrongInRow, wrongInAll, lockedUntil }, froze: wrongInAll === inAllMax }
}

type PinAsk = {
  readonly voucherId: string
  /** Who is told when it freezes. */
  readonly issuerId: string
  readonly pin: string
}
export type CheckPin = (ask: PinAsk) => Promise<void>

/**
 * Pins of requests that arrive together are tried in one transaction, apart from any posting: a wrong one is counted
 * whatever becomes of its request. The rows are locked, and nobody is told anything before the counts are committed, so
 * that 500 guesses at once are 5 comparisons.
 */
export function createPinCheck({ pool, clock, keyRing }: { pool: Pool; clock: Clock; keyRing: KeyRing }): CheckPin {
  const tryTogether = batched((asks: readonly PinAsk[]) =>
    inTransaction(pool, async (tx): Promise<Tried[]> => {
      const pins = await lockPins(tx, [...new Set(asks.map(({ voucherId }) => voucherId))].sort())
      const at = clock()
      const changed = new Map<string, PinCount>()
      const frozen: PinAsk[] = []
      const tried = asks.map((ask) => {
        const pin = pins.get(ask.voucherId)
        if (pin === undefined) throw new Error('A voucher with a pin has no pin.')
        const count = changed.get(ask.voucherId) ?? pin
        const outcome = tryPin(count, () => keyRing.isPin(ask.voucherId, ask.pin, pin.keyId, pin.digest), at)
        if (!isSame(outcome.count, count)) changed.set(ask.voucherId, outcome.count)
        if (outcome.froze) frozen.push(ask)
        return outcome
      })
      if (changed.size > 0) await savePins(tx, changed)
      if (frozen.length > 0)
        await tell(
          tx,
          frozen.map(({ voucherId, issuerId }) => ({
            type: 'voucher.pin_frozen',
            payload: { environmentId: issuerId, voucherId },
          })),
          at,
        )
      return tried
    }),
  )

  return async (ask) => {
    const { verdict, count } = await tryTogether(ask)
    if (verdict === 'wrong') throw voucherError('VOUCHER_PIN_WRONG', { param: 'lockPin' })
    if (verdict === 'frozen') throw voucherError('VOUCHER_FROZEN')
    if (verdict === 'locked')
      throw voucherError('VOUCHER_PIN_LOCKED', { param: 'lockPin', until: count.lockedUntil?.toISOString() })
  }
}

function isSame(a: PinCount, b: PinCount): boolean {
  return a.wrongInRow === b.wrongInRow && a.wrongInAll === b.wrongInAll && a.lockedUntil === b.lockedUntil
}
