import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Tx } from '../../base/db.ts'
import { execute, list, type RowOf, selectOne, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf } from '../../ledger/document.ts'
import { languages } from '../../mail/words.ts'

const voucherGifts = defineTable('voucher_gifts', {
  environmentId: sql.uuid,
  voucherId: sql.uuid,
  email: sql.text,
  sender: sql.text,
  message: sql.text,
  /** Null: the language of the shop. */
  language: orNull(oneOf(languages)),
  sendAt: sql.timestamptz,
  /** Null until the first email is written. */
  sentAt: orNull(sql.timestamptz),
  sends: sql.smallint,
  endedAt: withDefault(orNull(sql.timestamptz)),
})
export const giftDocument = documentOf(voucherGifts)

const giftColumns = list(voucherGifts.columns())
export type Gift = RowOf<typeof giftColumns>

export async function findGift(tx: Tx, environmentId: string, voucherId: string): Promise<Gift | undefined> {
  return selectOne(tx)`
    select ${giftColumns} from voucher_gifts where environment_id = ${environmentId} and voucher_id = ${voucherId}`
}

/** Locked until the transaction ends, so that it is sent once. */
export async function lockGift(tx: Tx, environmentId: string, voucherId: string): Promise<Gift | undefined> {
  return selectOne(tx)`
    select ${giftColumns} from voucher_gifts where environment_id = ${environmentId} and voucher_id = ${voucherId}
      for no key update`
}

export async function saveSent(tx: Tx, gift: Gift, email: string, at: Date): Promise<void> {
  await execute(tx)`
    update voucher_gifts set email = ${email}, sent_at = coalesce(sent_at, ${at}::timestamptz), sends = sends + 1
      where environment_id = ${gift.environmentId} and voucher_id = ${gift.voucherId}`
}

/** Its voucher was cancelled or replaced: the gift is never sent. */
export async function endGift(tx: Tx, { environmentId, voucherId }: Gift, at: Date): Promise<void> {
  await execute(tx)`
    update voucher_gifts set ended_at = ${at} where environment_id = ${environmentId} and voucher_id = ${voucherId}`
}
