import { batched } from '../../base/batched.ts'
import { allOrFirstError, inTransaction, type Pool } from '../../base/db.ts'
import { hasCode } from '../../base/errors.ts'
import { inAllMax, type PinCount, type Tried, tryPin } from '../../base/pin.ts'
import { sealError } from '../../base/seal.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import type { Event } from '../../ledger/event.ts'
import { publishEvents, type PublishTools } from '../../ledger/outbox.ts'
import { lockAccountsOf } from '../../ledger/lock.ts'
import type { ReadCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { hideFault } from './facts.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { lockPins, savePins } from '../voucher/pin-store.ts'
import { type Voucher, voucherAccount } from '../voucher/store.ts'

type PinInput = {
  /** Its issuer gets an event when it freezes. */
  readonly voucher: Pick<Voucher, 'id' | 'bookId' | 'environmentId' | 'isStore'>
  readonly pin: string
}
export type CheckPin = (input: PinInput) => Promise<Tried>
type PinTools = PublishTools & { readonly pool: Pool; readonly keyRing: KeyRing }

// Concurrent checks hold a row for a few milliseconds only.
const lockTimeoutMs = 500

/**
 * Checks the PINs of requests that arrive together in one transaction, separate from any posting: a wrong PIN counts
 * even if its request fails later. The rows are locked and the counts committed before any response, so 500
 * concurrent guesses get only 5 comparisons.
 */
export function createPinCheck(tools: PinTools): CheckPin {
  const tryTogether = batched((inputs: readonly PinInput[]) => tryPins(tools, inputs))
  return async (input) => {
    try {
      return await tryTogether(input)
    } catch (error) {
      // Another transaction holds one of the rows. Retry alone, so that requests for other vouchers do not wait for it.
      if (!hasCode(error, '55P03')) throw error
      const [tried] = await tryPins(tools, [input])
      if (tried === undefined) throw error
      return tried
    }
  }
}

function tryPins({ pool, clock, newId, keyRing }: PinTools, inputs: readonly PinInput[]): Promise<Tried[]> {
  return inTransaction(pool, async (tx) => {
    const voucherIds = [...new Set(inputs.map(({ voucher }) => voucher.id))].sort()
    const [, pins] = await allOrFirstError([
      tx.query(`set local lock_timeout = ${lockTimeoutMs}`),
      lockPins(tx, voucherIds),
    ])
    // Publishing voucher.pin_frozen needs the lock of the voucher's account. Take it before comparing any PIN, so
    // that a failed lock leaves no guess uncounted.
    const nearlyFrozen = inputs.filter(({ voucher: { id } }) => {
      const tries = inputs.filter(({ voucher }) => voucher.id === id).length
      return (pins.get(id)?.wrongInAll ?? 0) + tries >= inAllMax && (pins.get(id)?.wrongInAll ?? 0) < inAllMax
    })
    const accounts = nearlyFrozen.map(({ voucher }) => voucherAccount(voucher))
    if (accounts.length > 0) await lockAccountsOf(tx, accounts)
    const at = clock()
    const changed = new Map<string, PinCount>()
    const frozen: Event[] = []
    const tried = inputs.map(({ voucher, pin }) => {
      const { id: voucherId, environmentId } = voucher
      const known = pins.get(voucherId)
      if (known === undefined) throw new Error('A locked voucher has no PIN row.')
      const count = changed.get(voucherId) ?? known
      // A PIN under an unknown key must not fail the other requests of the batch.
      if (keyRing.findKey(known.keyId) === undefined) return { verdict: 'sealed' as const, count, froze: false }
      const outcome = tryPin(count, () => keyRing.isPin(voucherId, pin, known.keyId, known.digest), at)
      if (!isSame(outcome.count, count)) changed.set(voucherId, outcome.count)
      const to = { environmentId, about: voucherAccount(voucher) }
      if (outcome.froze) frozen.push(voucherEvent('voucher.pin_frozen', to, { voucherId }))
      return outcome
    })
    if (changed.size > 0) await savePins(tx, changed)
    if (frozen.length > 0) await publishEvents(tx, frozen, { clock, newId })
    return tried
  })
}

/** Checks the PIN of a locked voucher. The attempt is counted and committed before the request is processed further. */
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
