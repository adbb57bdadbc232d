import { orNull, withDefault } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import type { PinCount } from '../../base/pin.ts'
import { list, queryRows, type RowOf, sql, textOf } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf, plainArray, plainColumns } from '../../ledger/document.ts'

const voucherPins = defineTable('voucher_pins', {
  voucherId: sql.uuid,
  keyId: sql.smallint,
  digest: sql.bytea,
  wrongInRow: withDefault(sql.smallint),
  wrongInAll: withDefault(sql.smallint),
  lockedUntil: withDefault(orNull(sql.timestamptz)),
})

export const pinDocument = documentOf(voucherPins)

const pinColumns = list(voucherPins.columns('p'))
type PinRow = RowOf<typeof pinColumns>

const selectLocked = `select ${textOf(pinColumns)}
  from unnest($1::uuid[]) as want (id)
  cross join lateral (select * from voucher_pins p where p.voucher_id = want.id for no key update) p`

/** Locks the PIN rows in the order of the given ids. Callers pass them sorted to avoid deadlocks. */
export async function lockPins(tx: Tx, voucherIds: readonly string[]): Promise<Map<string, PinRow>> {
  const config = { name: 'voucher_pins_lock', text: selectLocked, values: [plainArray(voucherIds)] }
  const rows = await queryRows(tx, pinColumns, config)
  return new Map(rows.map((row) => [row.voucherId, row]))
}

export async function savePins(tx: Tx, counts: ReadonlyMap<string, PinCount>): Promise<void> {
  const changed = [...counts].map(([id, count]) => ({ id, ...count }))
  await tx.query(
    `update voucher_pins p
      set wrong_in_row = new.wrong_in_row, wrong_in_all = new.wrong_in_all, locked_until = new.locked_until
      from unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::timestamptz[])
        as new (voucher_id, wrong_in_row, wrong_in_all, locked_until)
      where p.voucher_id = new.voucher_id`,
    plainColumns(changed, 'id', 'wrongInRow', 'wrongInAll', 'lockedUntil'),
  )
}

/** Clears the wrong attempts, and sets a new PIN if one is given. */
export async function renewPin(tx: Tx, voucherId: string, pin?: { keyId: number; digest: Buffer }): Promise<void> {
  await tx.query(
    `update voucher_pins set wrong_in_row = 0, wrong_in_all = 0, locked_until = null, key_id = coalesce($2, key_id),
      digest = coalesce($3, digest) where voucher_id = $1`,
    [voucherId, pin?.keyId ?? null, pin?.digest ?? null],
  )
}
