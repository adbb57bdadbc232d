import { batched } from '../base/batched.ts'
import { allOrFirstError, inTransaction, type Pool } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import { inAllMax, type PinCount, type Tried, tryPin } from '../base/pin.ts'
import { sealError } from '../base/seal.ts'
import type { MerchantCaller } from '../http/caller.ts'
import type { Event } from '../ledger/event.ts'
import { lockAccountsOf, tell, type TellTools } from '../ledger/store.ts'
import type { ReadCode } from './code.ts'
import { voucherError } from './errors.ts'
import { voucherEvent } from './events.ts'
import { hideFault } from './facts.ts'
import type { KeyRing } from './key-ring.ts'
import { lockPins, savePins } from './pin-store.ts'
import { type Voucher, voucherAccount } from './store.ts'

type PinAsk = {
  /** Its issuer is told when it freezes. */
  readonly voucher: Pick<Voucher, 'id' | 'bookId' | 'environmentId'>
  readonly pin: string
}
export type CheckPin = (ask: PinAsk) => Promise<Tried>
type PinTools = TellTools & { readonly pool: Pool; readonly keyRing: KeyRing }

// Other batches hold a row for a few milliseconds.
const lockTimeoutMs = 500

/**
 * Pins of requests that arrive together are tried in one transaction, apart from any posting: a wrong one is counted
 * whatever becomes of its request. The rows are locked, and nobody is told anything before the counts are committed, so
 * that 500 guesses at once are 5 comparisons.
 */
export function createPinCheck(tools: PinTools): CheckPin {
  const tryTogether = batched((asks: readonly PinAsk[]) => tryPins(tools, asks))
  return async (ask) => {
    try {
      return await tryTogether(ask)
    } catch (error) {
      // Somebody keeps a row locked. Whoever does not need that one must not wait for it.
      if (!hasCode(error, '55P03')) throw error
      const [tried] = await tryPins(tools, [ask])
      if (tried === undefined) throw error
      return tried
    }
  }
}

function tryPins({ pool, clock, newId, keyRing }: PinTools, asks: readonly PinAsk[]): Promise<Tried[]> {
  return inTransaction(pool, async (tx) => {
    const voucherIds = [...new Set(asks.map(({ voucher }) => voucher.id))].sort()
    const [, pins] = await allOrFirstError([
      tx.query(`set local lock_timeout = ${lockTimeoutMs}`),
      lockPins(tx, voucherIds),
    ])
    // Whoever could freeze one is told of it under its account's lock. It is taken before any pin is compared: without it neither a
    // right one nor a wrong one is answered, and no guess goes uncounted.
    const near = asks.filter(({ voucher: { id } }) => {
      const tries = asks.filter(({ voucher }) => voucher.id === id).length
      return (pins.get(id)?.wrongInAll ?? 0) + tries >= inAllMax && (pins.get(id)?.wrongInAll ?? 0) < inAllMax
    })
    const accounts = near.map(({ voucher }) => voucherAccount(voucher))
    if (accounts.length > 0) await lockAccountsOf(tx, accounts)
    const at = clock()
    const changed = new Map<string, PinCount>()
    const frozen: Event[] = []
    const tried = asks.map(({ voucher, pin }) => {
      const { id: voucherId, environmentId } = voucher
      const known = pins.get(voucherId)
      if (known === undefined) throw new Error('A voucher with a pin has no pin.')
      const count = changed.get(voucherId) ?? known
      // One whose key this process does not know must not fail its neighbours.
      if (keyRing.findKey(known.keyId) === undefined) return { verdict: 'sealed' as const, count, froze: false }
      const outcome = tryPin(count, () => keyRing.isPin(voucherId, pin, known.keyId, known.digest), at)
      if (!isSame(outcome.count, count)) changed.set(voucherId, outcome.count)
      const to = { environmentId, about: voucherAccount(voucher) }
      if (outcome.froze) frozen.push(voucherEvent('voucher.pin_frozen', to, { voucherId }))
      return outcome
    })
    if (changed.size > 0) await savePins(tx, changed)
    if (frozen.length > 0) await tell(tx, frozen, { clock, newId })
    return tried
  })
}

/** The pin, where there is one to know. Counted and committed before anything else is looked at. */
export async function checkLock(
  checkPin: CheckPin,
  caller: Pick<MerchantCaller, 'hasSecret'>,
  voucher: Voucher,
  { code, lockPin: pin }: { readonly code: ReadCode; readonly lockPin?: string | undefined },
): Promise<void> {
  if (!voucher.hasPin) return
  if (pin === undefined) throw voucherError('VOUCHER_PIN_MISSING', { param: 'lockPin' })
  const { verdict, count } = await checkPin({ voucher, pin })
  if (verdict === 'wrong') throw voucherError('VOUCHER_PIN_WRONG', { param: 'lockPin' })
  if (verdict === 'sealed') throw sealError('KEY_RING_INCOMPLETE')
  if (verdict === 'frozen') throw hideFault('VOUCHER_FROZEN', caller, code)
  if (verdict === 'locked')
    throw voucherError('VOUCHER_PIN_LOCKED', { param: 'lockPin', until: count.lockedUntil?.toISOString() })
}

function isSame(a: PinCount, b: PinCount): boolean {
  return a.wrongInRow === b.wrongInRow && a.wrongInAll === b.wrongInAll && a.lockedUntil === b.lockedUntil
}
