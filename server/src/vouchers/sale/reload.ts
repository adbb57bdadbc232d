import type { Tx } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { once, postNew } from '../../ledger/once.ts'
import { lockShop, type LockedShop } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { voucherError } from '../code/errors.ts'
import { takePlace } from '../register/shift.ts'
import { isExpired } from '../voucher/expiry.ts'
import { moveDocument } from '../voucher/history-store.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { lockVoucher, storeFloat, type Voucher, voucherAccount } from '../voucher/store.ts'
import { saleError } from './errors.ts'
import { saleRecorded } from './events.ts'
import { findOwnVoucher } from './find-own-voucher.ts'
import { admitSale, sellerOf } from './limit.ts'
import { readSold, type Sold } from './sell.ts'
import { type NewSale, saleDocument } from './store.ts'
import { type PaidInput, printOf, readPrice } from './terms.ts'

export type ReloadInput = PaidInput & {
  readonly voucherCode: string
  /** Major units, as the client wrote them. */
  readonly amount: string
}

/** Adds value to a store voucher that the shop sold. Its PIN is not needed: nothing is taken. */
export async function reloadVoucher(tools: IssueTools, caller: MerchantCaller, input: ReloadInput): Promise<Sold> {
  const { environmentId } = caller
  const voucher = await findOwnVoucher(tools, caller, input.voucherCode)
  const currency = await findCurrency(tools.pool, voucher.currency, 'any')
  const { minor } = parseMoney(input.amount, currency)
  const identity = {
    key: referenceKey(environmentId, input.reference),
    requestFingerprint: JSON.stringify(['voucher.reload', voucher.id, String(minor), ...printOf(input)]),
  }
  try {
    const done = await once(tools, identity, {
      retell: ({ journalId }) => ({ id: journalId, replayed: true }),
      prepare: () => {
        refuseDust(parseAmount(input.amount, currency), currency)
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            const locked = await lockVoucher(tx, voucher.id, tools.clock())
            return { voucher: locked ?? voucher, shop: await lockShop(tx, environmentId) }
          },
          post: async (tx, locked) => {
            const id = await reloadLocked(tools, tx, caller, input, { ...locked, minor }, identity)
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

async function reloadLocked(
  tools: IssueTools,
  tx: Tx,
  caller: MerchantCaller,
  input: ReloadInput,
  { voucher, shop, minor: value }: { readonly voucher: Voucher; readonly shop: LockedShop; readonly minor: bigint },
  identity: { readonly key: string; readonly requestFingerprint: string },
): Promise<string> {
  refuseUnloadable(voucher, tools.clock())
  const { environmentId, bookId, id: voucherId } = voucher
  const currency = await findCurrency(tx, voucher.currency)
  const price = readPrice(input, value, currency)
  const { tender, tenderReference, reason, reference, registerId } = input
  const place = await takePlace(tx, caller, { registerId, bookId, isCash: tender === 'cash' })
  const id = tools.newId()
  const createdAt = timeOfId(id)
  const homeValue = await admitSale(tools, tx, caller, shop, { value, price, currency, at: createdAt })
  const row: NewSale = {
    ...place,
    environmentId,
    id,
    kind: 'reload',
    reference,
    voucherId,
    bookId,
    value,
    price,
    tender,
    tenderReference,
    reason,
    sellerId: sellerOf(caller),
    memberId: caller.memberId,
    homeValue,
    codeTail: voucher.codeTail,
    createdAt,
  }
  const float = storeFloat(environmentId, bookId)
  const documents = [moveDocument({ voucherId, id, environmentId, kind: 'reload', amount: value }), saleDocument(row)]
  const posting = {
    transfers: [{ from: float, to: voucherAccount(voucher), amount: value }],
    open: [float],
    documents,
    events: [saleRecorded(row, currency)],
  }
  await postNew(tx, { id, kind: 'voucher.reload', ...identity, alternatives: [posting] }, tools)
  return id
}

/** A blocked voucher could not be spent, and a frozen one must get a new PIN first. */
function refuseUnloadable(voucher: Voucher, at: Date): void {
  if (!voucher.isActive) throw voucherError('VOUCHER_INACTIVE')
  if (voucher.state === 'closed') throw voucherError('VOUCHER_CANCELLED')
  if (voucher.state === 'no_debit') throw voucherError('VOUCHER_BLOCKED')
  if (voucher.isFrozen) throw voucherError('VOUCHER_FROZEN')
  if (isExpired(voucher, at)) throw voucherError('VOUCHER_EXPIRED')
  if (!voucher.isStore) throw saleError('VOUCHER_NOT_STORE', { param: 'voucherCode' })
}
