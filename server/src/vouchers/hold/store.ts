import { oneOf, orNull } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { execute, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { chargeTypes } from '../../catalogue/charge/wire.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { documentOf } from '../../ledger/document.ts'
import { type HoldState, holdStates } from './wire.ts'

const voucherHolds = defineTable('voucher_holds', {
  /** The merchant's, which need not be the issuer's. */
  environmentId: sql.uuid,
  id: sql.uuid,
  reference: sql.text,
  voucherId: sql.uuid,
  bookId: sql.smallint,
  codeTail: orNull(sql.text),
  amount: sql.numeric,
  /** The fee of the whole amount. */
  charge: sql.numeric,
  chargeType: oneOf(chargeTypes),
  chargedTo: oneOf(['voucher', 'merchant']),
  captured: sql.numeric,
  capturedCharge: sql.numeric,
  state: oneOf(holdStates),
  /** The hold of the ledger on the voucher. */
  ledgerHoldId: sql.uuid,
  /** The hold of the ledger on the admin balance, if that pays the fee. */
  feeHoldId: orNull(sql.uuid),
  expiresAt: sql.timestamptz,
  createdAt: sql.timestamptz,
  endedAt: orNull(sql.timestamptz),
  /** The number of its last event. */
  sequence: sql.integer,
})
export const holdDocument = documentOf(voucherHolds)

const holdColumns = list({ ...voucherHolds.columns('h'), ...ledgerBooks.columns('b', 'currency') })
/** A hold as it is stored. One whose time is over stays OPEN until the job has marked it: see `stateOf`. */
export type VoucherHold = RowOf<typeof holdColumns>

const holds = sql`select ${holdColumns} from voucher_holds h join ledger_books b on b.id = h.book_id`

export async function findHold(tx: Tx, environmentId: string, id: string): Promise<VoucherHold | undefined> {
  return selectOne(tx)`${holds} where h.environment_id = ${environmentId} and h.id = ${id}`
}

/** The same, locked until the transaction ends against every other change of the hold. */
export async function lockHold(tx: Tx, environmentId: string, id: string): Promise<VoucherHold | undefined> {
  await execute(tx)`select from voucher_holds where environment_id = ${environmentId} and id = ${id} for no key update`
  return findHold(tx, environmentId, id)
}

/** Holds below a cursor, newest first. */
export async function listHolds(
  tx: Tx,
  environmentId: string,
  { state, before, limit, at }: { state: HoldState | undefined; before: string; limit: number; at: Date },
): Promise<VoucherHold[]> {
  if (state === undefined)
    return select(tx)`
      ${holds} where h.environment_id = ${environmentId} and h.id < ${before} order by h.id desc limit ${limit}`
  // A hold whose time is over is EXPIRED, also if the job has not marked it yet.
  const stored = state === 'EXPIRED' ? ['EXPIRED', 'OPEN'] : [state]
  return select(tx)`
    ${holds} where h.environment_id = ${environmentId} and h.id < ${before} and h.state = any(${stored})
      and (h.state <> 'OPEN' or (h.expires_at <= ${at}) = ${state === 'EXPIRED'}) order by h.id desc limit ${limit}`
}

/** Stores what may change of a hold. The caller has locked it. */
export async function saveHold(tx: Tx, hold: VoucherHold): Promise<void> {
  const { environmentId, id, captured, capturedCharge, state, ledgerHoldId, feeHoldId, expiresAt } = hold
  await execute(tx)`
    update voucher_holds set captured = ${captured}, captured_charge = ${capturedCharge}, state = ${state},
        ledger_hold_id = ${ledgerHoldId}, fee_hold_id = ${feeHoldId}, expires_at = ${expiresAt},
        ended_at = ${hold.endedAt}, sequence = ${hold.sequence}
      where environment_id = ${environmentId} and id = ${id}`
}

const captures = defineTable('voucher_hold_captures', {
  environmentId: sql.uuid,
  /** The id of the redemption. */
  id: sql.uuid,
  holdId: sql.uuid,
  amount: sql.numeric,
  charge: sql.numeric,
  createdAt: sql.timestamptz,
})
export const captureDocument = documentOf(captures)

const captureColumns = list(captures.columns('', 'id', 'amount', 'charge', 'createdAt'))
export type Capture = RowOf<typeof captureColumns>

/** The captures of a hold, oldest first. */
export async function listCaptures(tx: Tx, environmentId: string, holdId: string): Promise<Capture[]> {
  return select(tx)`
    select ${captureColumns} from voucher_hold_captures
      where environment_id = ${environmentId} and hold_id = ${holdId} order by id`
}
