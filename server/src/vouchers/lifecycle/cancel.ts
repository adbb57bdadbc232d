import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { type ReadCode, readCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired } from '../voucher/expiry.ts'
import type { KeyRing } from '../code/key-ring.ts'
import { checkLock } from '../redeem/pin.ts'
import { isDelivered, listOwnVouchers, payerAccount, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { RedeemTools } from '../redeem/redeem.ts'
import { lifecycleError } from './errors.ts'
import { expiryAccount } from './expire.ts'
import { moveOut, refuseOnchain, withOwnVoucher } from './move-out.ts'

export type CancelTools = PostTools & Pick<RedeemTools, 'keyRing' | 'checkPin'>

export type CancelInput = {
  readonly id: string
  /** The holder's consent, as typed. */
  readonly voucherCode: string | undefined
  readonly lockPin: string | undefined
  readonly reason: string
}

/** Cancels a voucher and returns its balance to the payer. Once it was delivered, only with the holder's consent. */
export async function cancelVoucher(tools: CancelTools, caller: MerchantCaller, input: CancelInput): Promise<void> {
  const { environmentId } = caller
  const hasConsent = await readConsent(tools, caller, input)
  const checkConsent = async (tx: Tx, voucher: Voucher): Promise<void> => {
    if (!hasConsent && (await isDelivered(tx, voucher))) throw lifecycleError('CONSENT_MISSING')
  }
  await refuseOnchain(tools, environmentId, input.id, 'cancel', checkConsent)
  await withOwnVoucher(tools, environmentId, input.id, async (tx, voucher) => {
    if (voucher.replacedBy !== null) throw lifecycleError('VOUCHER_REPLACED')
    if (voucher.state === 'closed') return
    // Checked under a lock, so that a concurrent export of the batch finishes first or waits.
    await checkConsent(tx, voucher)
    // An expired voucher's balance follows the issuer's expiry policy. Reopening serves the holder, not cancellation.
    if (isExpired(voucher, tools.clock())) throw voucherError('VOUCHER_EXPIRED')
    const id = tools.newId()
    const to = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.cancelled', to, { voucherId: voucher.id, reason: input.reason })]
    const identity = { id, key: `voucher.cancel/${voucher.id}`, requestFingerprint: '' }
    const payee = voucher.wasExpired ? expiryAccount(voucher) : payerAccount(voucher)
    const move = { kind: 'cancel', to: payee, state: 'closed', reason: input.reason, identity, events } as const
    const moved = await moveOut(tools, tx, voucher, move)
    if (moved === 0n) await publishEvents(tx, events, tools)
  })
}

/** Runs before any lock is taken: a wrong PIN counts even if the request fails. */
async function readConsent(
  tools: CancelTools,
  caller: MerchantCaller,
  { id, voucherCode, lockPin }: CancelInput,
): Promise<boolean> {
  if (voucherCode === undefined) return false
  const { environmentId } = caller
  const [voucher] = await withEnvironment(tools.pool, environmentId, (tx) =>
    listOwnVouchers(tx, environmentId, { ids: [id] }, tools.clock()),
  )
  if (voucher === undefined) throw lifecycleError('VOUCHER_UNKNOWN')
  const code = readCode(voucherCode)
  if (!isItsCode(tools.keyRing, voucher, code)) throw lifecycleError('CONSENT_MISSING', { param: 'voucherCode' })
  if (voucher.state !== 'closed') await checkLock(tools.checkPin, caller, voucher, { code, lockPin })
  return true
}

function isItsCode(keyRing: KeyRing, { codeHash, environmentId }: Voucher, code: ReadCode): boolean {
  return keyRing.hashesOf(code, environmentId).includes(codeHash)
}
