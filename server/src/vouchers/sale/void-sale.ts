import type { Tx } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { once, postNew } from '../../ledger/once.ts'
import { setAccountState } from '../../ledger/store.ts'
import { lockShop } from '../../payments/outflow/store.ts'
import { referenceKey, toApiError } from '../../payments/transaction/reference.ts'
import { lockBalance } from '../lifecycle/move-out.ts'
import { voucherError } from '../code/errors.ts'
import { takePlace } from '../register/shift.ts'
import { moveDocument } from '../voucher/history-store.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { lockVoucher, setActivation, storeFloat, type Voucher, voucherAccount } from '../voucher/store.ts'
import { saleError } from './errors.ts'
import { saleRecorded } from './events.ts'
import { findOwnVoucher } from './find-own-voucher.ts'
import { sellerOf, takeFromDay } from './limit.ts'
import { readSold, type Sold } from './sell.ts'
import { findPrinted, findSale, isUsedSince, type NewSale, type Sale, saleDocument } from './store.ts'

export type VoidInput = {
  readonly saleId: string
  /** The card that the customer returns. A cashier needs it. */
  readonly voucherCode: string | undefined
  readonly reason: string
  readonly registerId: string | undefined
  readonly reference: string
}

// Long enough to correct a mistake while the customer is at the till.
const mistakeMs = 15 * 60_000

/** Undoes a sale or a reload of which nothing was spent: the value leaves the voucher, and the customer gets the price back. */
export async function voidSale(tools: IssueTools, caller: MerchantCaller, input: VoidInput): Promise<Sold> {
  const { environmentId } = caller
  const sale = await withEnvironment(tools.pool, environmentId, (tx) => findSale(tx, environmentId, input.saleId))
  if (sale === undefined) throw saleError('SALE_NOT_FOUND')
  const identity = {
    key: referenceKey(environmentId, input.reference),
    requestFingerprint: JSON.stringify(['voucher.void', sale.id, input.registerId ?? '']),
  }
  try {
    const done = await once(tools, identity, {
      retell: ({ journalId }) => ({ id: journalId, replayed: true }),
      prepare: async () => {
        await checkCard(tools, caller, sale, input.voucherCode)
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            const voucher = await lockVoucher(tx, sale.voucherId, tools.clock())
            // Like a sale, before the float and the totals of its seller. In another order the two would deadlock.
            await lockShop(tx, environmentId)
            return voucher
          },
          post: async (tx, voucher) => {
            if (voucher === undefined) throw new Error('A sold voucher is missing.')
            const id = await voidLocked(tools, tx, caller, input, voucher, identity)
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

/**
 * A cashier who could undo a sale without the card, or later, could keep the money of a customer who has left: the cashier has seen the
 * code of a voucher that is new.
 */
async function checkCard(
  tools: IssueTools,
  caller: MerchantCaller,
  sale: Sale,
  voucherCode: string | undefined,
): Promise<void> {
  if (caller.role === 'cashier' && isLate(tools, sale)) throw saleError('SALE_VOID_LATE')
  if (voucherCode === undefined) {
    if (caller.role === 'cashier') throw saleError('SALE_CARD_NEEDED', { param: 'voucherCode' })
    return
  }
  const { id } = await findOwnVoucher(tools, caller, voucherCode)
  if (id !== sale.voucherId) throw saleError('SALE_CARD_NEEDED', { param: 'voucherCode' })
}

function isLate({ clock }: IssueTools, { createdAt }: Sale): boolean {
  return clock().getTime() - createdAt.getTime() > mistakeMs
}

async function voidLocked(
  tools: IssueTools,
  tx: Tx,
  caller: MerchantCaller,
  input: VoidInput,
  found: Voucher,
  identity: { readonly key: string; readonly requestFingerprint: string },
): Promise<string> {
  const { environmentId } = caller
  const float = storeFloat(environmentId, found.bookId)
  const voucher = await lockBalance(tools, tx, found, [float])
  // Read again under the lock of the voucher: another request may have undone it.
  const sale = await findSale(tx, environmentId, input.saleId)
  if (sale === undefined) throw saleError('SALE_NOT_FOUND')
  await refuseUsed(tx, sale, voucher)
  const currency = await findCurrency(tx, sale.currency, 'any')
  const { tender, bookId } = sale
  const place = await takePlace(tx, caller, { registerId: input.registerId, bookId, isCash: tender === 'cash' })
  await takeFromDay(tx, sale)
  const id = tools.newId()
  const row = voidRow(caller, input, sale, id)
  await postNew(tx, voidJournal({ ...row, ...place }, voucher, currency, identity), tools)
  if (sale.kind === 'sale') await takeBack(tools, tx, sale, voucher)
  return id
}

async function refuseUsed(tx: Tx, sale: Sale, { state, replacedBy, available, balance }: Voucher): Promise<void> {
  if (sale.kind !== 'sale' && sale.kind !== 'reload') throw saleError('SALE_NOT_UNDOABLE')
  if (sale.isUndone) throw saleError('SALE_UNDONE')
  if (state === 'no_debit') throw voucherError('VOUCHER_BLOCKED')
  const isGone = state === 'closed' || replacedBy !== null
  const isWhole = sale.kind === 'sale' ? balance === sale.value : balance >= sale.value
  if (isGone || !isWhole || available !== balance || (await isUsedSince(tx, sale))) throw saleError('SALE_USED')
}

function voidRow(caller: MerchantCaller, input: VoidInput, sale: Sale, id: string): NewSale {
  const { environmentId, voucherId, bookId, value, price, tender, codeTail } = sale
  return {
    ...{ environmentId, voucherId, bookId, value, price, tender, codeTail },
    id,
    kind: 'void',
    reference: input.reference,
    tenderReference: '',
    reason: input.reason,
    sellerId: sellerOf(caller),
    memberId: caller.memberId,
    undoes: sale.id,
    homeValue: 0n,
    createdAt: timeOfId(id),
  }
}

function voidJournal(
  row: NewSale,
  voucher: Voucher,
  currency: CatalogueCurrency,
  identity: { readonly key: string; readonly requestFingerprint: string },
) {
  const { id, environmentId, voucherId, value: amount, reason } = row
  const float = storeFloat(environmentId, voucher.bookId)
  const moved = moveDocument({ voucherId, id, environmentId, kind: 'void', amount, reason })
  const posting = {
    transfers: [{ from: voucherAccount(voucher), to: float, amount }],
    documents: [moved, saleDocument(row)],
    events: [saleRecorded(row, currency)],
  }
  return { id, kind: 'voucher.void', ...identity, alternatives: [posting] as const }
}

/**
 * A card of a batch can be sold again, unless it left the till or has a PIN: the customer may know its code, and the next one would not know
 * its PIN. Any other voucher is closed.
 */
async function takeBack(tools: IssueTools, tx: Tx, sale: Sale, voucher: Voucher): Promise<void> {
  const { environmentId, batchId, hasPin } = voucher
  if (batchId === null || hasPin || isLate(tools, sale)) {
    await setAccountState(tx, voucherAccount(voucher), 'closed')
    return
  }
  await setActivation(tx, voucher, { isActive: false, ...(await findPrinted(tx, environmentId, batchId)) })
}
