import { findCurrency } from '../../catalogue/currency/store.ts'
import { postWithin, type PostTools } from '../../ledger/batch.ts'
import { withHold } from './end-hold.ts'
import { holdError } from './errors.ts'
import { holdChanged } from './events.ts'
import { lifeSecondsMax, refuseEnded, releaseActs, reserveActs, reservedBy } from './reserved.ts'
import { saveHold, type VoucherHold } from './store.ts'

/** Gives a hold so many seconds from now. It never ends earlier than before, so this is safe to retry. */
export async function extendHold(
  tools: PostTools,
  environmentId: string,
  { id, seconds }: { readonly id: string; readonly seconds: number },
): Promise<VoucherHold> {
  return withHold(tools, environmentId, id, async (tx, hold, voucher) => {
    const at = tools.clock()
    refuseEnded(hold, at)
    const expiresAt = new Date(at.getTime() + seconds * 1_000)
    const last = new Date(hold.createdAt.getTime() + lifeSecondsMax * 1_000)
    if (expiresAt > last)
      throw holdError('VOUCHER_HOLD_TOO_LONG', { param: 'expiresInSeconds', until: last.toISOString() })
    if (expiresAt <= hold.expiresAt) return hold
    // A hold of the ledger never changes its time. Released and reserved in one journal, the amount is never free.
    const next = {
      ...hold,
      expiresAt,
      ledgerHoldId: tools.newId(),
      feeHoldId: hold.feeHoldId === null ? null : tools.newId(),
      sequence: hold.sequence + 1,
    }
    await saveHold(tx, next)
    const holds = [...releaseActs(reservedBy(hold, voucher)), ...reserveActs(reservedBy(next, voucher), expiresAt)]
    const events = [holdChanged('voucher_hold.extended', next, await findCurrency(tx, hold.currency, 'any'))]
    const identity = {
      id: tools.newId(),
      kind: 'voucher_hold.extend',
      key: `voucher_hold.extend/${next.ledgerHoldId}`,
      requestFingerprint: '',
    }
    await postWithin(tx, { ...identity, alternatives: [{ transfers: [], holds, events }] }, tools)
    return next
  })
}
