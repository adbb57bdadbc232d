import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { once } from '../../ledger/once.ts'
import { lockShop, type LockedShop } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { readCode } from '../code/code.ts'
import { voucherError } from '../code/errors.ts'
import { moveOut } from '../lifecycle/move-out.ts'
import { type CheckPin, checkLock } from '../redeem/pin.ts'
import { takePlace } from '../register/shift.ts'
import { isExpired } from '../voucher/expiry.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { lockVoucher, storeFloat, type Voucher } from '../voucher/store.ts'
import { saleError } from './errors.ts'
import { saleRecorded } from './events.ts'
import { findOwnVoucher } from './find-own-voucher.ts'
import { countValue, sellerOf } from './limit.ts'
import { readSold, type Sold } from './sell.ts'
import { type NewSale, saleDocument, sumSold } from './store.ts'
import { paybackOf } from './terms.ts'
import type { Tender } from './wire.ts'

export type CashBackTools = IssueTools & { readonly checkPin: CheckPin }

export type CashBackInput = {
  readonly voucherCode: string
  readonly lockPin: string | undefined
  readonly tender: Tender
  readonly tenderReference: string
  readonly reason: string
  readonly registerId: string | undefined
  readonly reference: string
}

export type CashBackOffer = { readonly value: bigint; readonly price: bigint; readonly currency: CatalogueCurrency }

/** What would be paid back for what is left on a voucher. */
export async function offerCashBack(
  tools: CashBackTools,
  caller: MerchantCaller,
  { voucherCode, lockPin }: Pick<CashBackInput, 'voucherCode' | 'lockPin'>,
): Promise<CashBackOffer> {
  const voucher = await findOwnVoucher(tools, caller, voucherCode)
  await checkLock(tools.checkPin, caller, voucher, { code: readCode(voucherCode), lockPin })
  refuseUnpayable(voucher, tools.clock())
  const { price, currency } = await withEnvironment(tools.pool, caller.environmentId, (tx) => priceOf(tx, voucher))
  return { value: voucher.balance, price, currency }
}

/** Pays back what is left on a voucher, in proportion to what was paid for it, and closes it. */
export async function payCashBack(tools: CashBackTools, caller: MerchantCaller, input: CashBackInput): Promise<Sold> {
  const { environmentId } = caller
  const found = await findOwnVoucher(tools, caller, input.voucherCode)
  const { tender, tenderReference, registerId = '' } = input
  const identity = {
    key: referenceKey(environmentId, input.reference),
    requestFingerprint: JSON.stringify(['voucher.cash_back', found.id, tender, tenderReference, registerId]),
  }
  try {
    const done = await once(tools, identity, {
      retell: ({ journalId }) => ({ id: journalId, replayed: true }),
      prepare: async () => {
        await checkLock(tools.checkPin, caller, found, { code: readCode(input.voucherCode), lockPin: input.lockPin })
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            const voucher = await lockVoucher(tx, found.id, tools.clock())
            return { voucher: voucher ?? found, shop: await lockShop(tx, environmentId) }
          },
          post: async (tx, { voucher, shop }) => {
            const id = await payLocked(tools, tx, caller, input, { voucher, shop }, identity)
            return { id, replayed: false }
          },
        }
      },
    })
    return await readSold(tools, caller, done.id, done.replayed)
  } catch (error) {
    throw toApiError(error, 'referenceId')
  }
}

async function payLocked(
  tools: CashBackTools,
  tx: Tx,
  caller: MerchantCaller,
  input: CashBackInput,
  { voucher, shop }: { readonly voucher: Voucher; readonly shop: LockedShop },
  identity: { readonly key: string; readonly requestFingerprint: string },
): Promise<string> {
  refuseUnpayable(voucher, tools.clock())
  const { environmentId, bookId, id: voucherId, codeTail } = voucher
  const { tender, tenderReference, reason, reference, registerId } = input
  const { price, currency } = await priceOf(tx, voucher)
  const place = await takePlace(tx, caller, { registerId, bookId, isCash: tender === 'cash' })
  const id = tools.newId()
  const createdAt = timeOfId(id)
  const homeValue = await countValue(tools, tx, caller, shop, { value: price, currency, at: createdAt })
  const row: NewSale = {
    ...place,
    ...{ environmentId, id, kind: 'cash_back', reference, voucherId, bookId, price, tender, tenderReference, reason },
    value: voucher.balance,
    sellerId: sellerOf(caller),
    memberId: caller.memberId,
    homeValue,
    codeTail,
    createdAt,
  }
  const moved = await moveOut(tools, tx, voucher, {
    kind: 'cash_back',
    to: storeFloat(environmentId, bookId),
    state: 'closed',
    reason,
    identity: { id, ...identity },
    documents: [saleDocument(row)],
    events: [saleRecorded(row, currency)],
  })
  // A redemption came between the two: the price was for another balance. The client repeats the request.
  if (moved !== voucher.balance) throw saleError('CASH_BACK_CHANGED')
  return id
}

async function priceOf(tx: Tx, voucher: Voucher): Promise<{ price: bigint; currency: CatalogueCurrency }> {
  const sold = await sumSold(tx, voucher.environmentId, voucher.id)
  const price = paybackOf(voucher.balance, sold)
  if (price === 0n) throw saleError('VOUCHER_NOT_SOLD', { param: 'voucherCode' })
  return { price, currency: await findCurrency(tx, voucher.currency, 'any') }
}

function refuseUnpayable(voucher: Voucher, at: Date): void {
  if (!voucher.isActive) throw voucherError('VOUCHER_INACTIVE')
  if (voucher.replacedBy !== null || voucher.state === 'closed') throw voucherError('VOUCHER_CANCELLED')
  if (voucher.state === 'no_debit') throw voucherError('VOUCHER_BLOCKED')
  if (isExpired(voucher, at)) throw voucherError('VOUCHER_EXPIRED')
  if (voucher.balance === 0n) throw voucherError('VOUCHER_EMPTY')
}
