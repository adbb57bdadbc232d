import type { Clock } from '../../base/clock.ts'
import { inTransaction, type Pool, type Tx, violates } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import type { NewId } from '../../base/id.ts'
import { parseMoney } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { ensureBook } from '../../ledger/book.ts'
import { registerError } from './errors.ts'
import {
  findOpenShift,
  findShift,
  insertShift,
  keepOpen,
  lockShift,
  saveClosed,
  type Shift,
  sumCash,
} from './shift-store.ts'
import { lockRegister } from './store.ts'

export type ShiftTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }

/** A staff member at a till. */
type Cashier = MerchantCaller & { readonly memberId: string }

/** Opens a shift with the cash that is in the drawer. One shift at a time is open on a register. */
export async function openShift(
  tools: ShiftTools,
  { merchantId, environmentId, memberId, mode }: Cashier,
  input: { readonly registerId: string; readonly currency: string; readonly openingFloat: string },
): Promise<Shift> {
  const currency = await findCurrency(tools.pool, input.currency)
  const openingFloat = parseMoney(input.openingFloat, currency).minor
  const bookId = await ensureBook(tools.pool, mode, currency.code)
  const id = tools.newId()
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const register = await lockRegister(tx, merchantId, input.registerId)
    if (register === undefined) throw registerError('REGISTER_NOT_FOUND', { param: 'registerId' })
    const opened = { openingFloat, openedBy: memberId, openedAt: tools.clock() }
    await insertShift(tx, { environmentId, id, registerId: register.id, bookId, ...opened }).catch((error: unknown) => {
      throw violates(error, 'shifts_open') ? registerError('SHIFT_OPEN', {}, error) : error
    })
    return readShift(tx, environmentId, id)
  })
}

/** Closes a shift with the cash that was counted. The shop sees a difference and why. */
export async function closeShift(
  tools: ShiftTools,
  { environmentId, memberId }: Cashier,
  input: { readonly id: string; readonly counted: string; readonly note: string },
): Promise<Shift> {
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const shift = await lockShift(tx, environmentId, input.id)
    if (shift === undefined) throw registerError('SHIFT_NOT_FOUND')
    if (shift.closedAt !== null) throw registerError('SHIFT_CLOSED')
    const currency = await findCurrency(tx, shift.currency, 'any')
    const counted = parseMoney(input.counted, currency).minor
    const expected = shift.openingFloat + (await sumCash(tx, shift))
    const note = input.note.trim()
    if (counted !== expected && note === '') throw registerError('SHIFT_NOTE_MISSING', { param: 'note' })
    await saveClosed(tx, shift, { closedBy: memberId, closedAt: tools.clock(), expected, counted, note })
    return readShift(tx, environmentId, shift.id)
  })
}

async function readShift(tx: Tx, environmentId: string, id: string): Promise<Shift> {
  const shift = await findShift(tx, environmentId, id)
  if (shift === undefined) throw new Error('A shift is missing.')
  return shift
}

export type SaleAt = { readonly registerId: string | null; readonly shiftId: string | null }

/**
 * The register and the open shift of a sale, which stays open until the transaction ends. Cash at a register needs a shift with a
 * drawer of its currency.
 */
export async function takePlace(
  tx: Tx,
  { merchantId, environmentId }: Pick<MerchantCaller, 'merchantId' | 'environmentId'>,
  {
    registerId,
    bookId,
    isCash,
  }: { readonly registerId: string | undefined; readonly bookId: number; readonly isCash: boolean },
): Promise<SaleAt> {
  if (registerId === undefined) return { registerId: null, shiftId: null }
  const register = await lockRegister(tx, merchantId, registerId)
  if (register === undefined) throw registerError('REGISTER_NOT_FOUND', { param: 'registerId' })
  const shift = await findOpenShift(tx, environmentId, register.id)
  const isKept = shift !== undefined && (await keepOpen(tx, shift))
  if (!isKept && isCash) throw registerError('SHIFT_MISSING', { param: 'registerId' })
  if (!isKept) return { registerId: register.id, shiftId: null }
  if (isCash && shift.bookId !== bookId) throw registerError('SHIFT_CURRENCY', { param: 'currency' })
  return { registerId: register.id, shiftId: shift.id }
}
