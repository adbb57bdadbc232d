import { withEnvironment } from '../base/environment.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { tell } from '../ledger/store.ts'
import { type ReadCode, readCode } from '../voucher/code.ts'
import { voucherError } from '../voucher/errors.ts'
import { voucherEvent } from '../voucher/events.ts'
import { isExpired } from '../voucher/expiry.ts'
import type { KeyRing } from '../voucher/key-ring.ts'
import { checkLock } from '../voucher/pin.ts'
import { isDelivered, listOwnVouchers, payerAccount, type Voucher, voucherAccount } from '../voucher/store.ts'
import type { PostTools } from '../ledger/batch.ts'
import type { RedeemTools } from '../voucher/redeem.ts'
import { aftercareError } from './errors.ts'
import { heirOf } from './expire.ts'
import { moveOut, withOwnVoucher } from './move-out.ts'

export type CancelTools = PostTools & Pick<RedeemTools, 'keyRing' | 'checkPin'>

export type CancelAsk = {
  readonly id: string
  /** The holder's consent, as it was typed. */
  readonly voucherCode: string | undefined
  readonly lockPin: string | undefined
  readonly reason: string
}

/** Gives back what is left to who paid for it. Once it is in somebody's hands, only with the holder's consent. */
export async function cancelVoucher(tools: CancelTools, caller: MerchantCaller, ask: CancelAsk): Promise<void> {
  const { environmentId } = caller
  const hasConsent = await readConsent(tools, caller, ask)
  await withOwnVoucher(tools, environmentId, ask.id, async (tx, voucher) => {
    if (voucher.replacedBy !== null) throw aftercareError('VOUCHER_REPLACED')
    if (voucher.state === 'closed') return
    // Looked at under a lock: a batch that is being exported is exported first, or not before this is done.
    if (!hasConsent && (await isDelivered(tx, voucher))) throw aftercareError('CONSENT_MISSING')
    // From then on its policy says where the value goes, and what was set aside once stays so: reopening is for the holder.
    if (isExpired(voucher, tools.clock())) throw voucherError('VOUCHER_EXPIRED')
    const id = tools.newId()
    const to = { environmentId, about: voucherAccount(voucher) }
    const events = [voucherEvent('voucher.cancelled', to, { voucherId: voucher.id, reason: ask.reason })]
    const identity = { id, key: `voucher.cancel/${voucher.id}`, asked: '' }
    const payee = voucher.wasExpired ? heirOf(voucher) : payerAccount(voucher)
    const move = { kind: 'cancel', to: payee, state: 'closed', reason: ask.reason, identity, events } as const
    const moved = await moveOut(tools, tx, voucher, move)
    if (moved === 0n) await tell(tx, events, tools)
  })
}

/** Before anything is locked: a wrong pin is counted, whatever becomes of the request. */
async function readConsent(tools: CancelTools, caller: MerchantCaller, { id, voucherCode, lockPin }: CancelAsk) {
  if (voucherCode === undefined) return false
  const { environmentId } = caller
  const [voucher] = await withEnvironment(tools.pool, environmentId, (tx) =>
    listOwnVouchers(tx, environmentId, { ids: [id] }, tools.clock()),
  )
  if (voucher === undefined) throw aftercareError('VOUCHER_UNKNOWN')
  const code = readCode(voucherCode)
  if (!isItsCode(tools.keyRing, voucher, code)) throw aftercareError('CONSENT_MISSING', { param: 'voucherCode' })
  if (voucher.state !== 'closed') await checkLock(tools.checkPin, caller, voucher, { code, lockPin })
  return true
}

function isItsCode(keyRing: KeyRing, { codeHash, environmentId }: Voucher, code: ReadCode): boolean {
  return keyRing.hashesOf(code, environmentId).includes(codeHash)
}
