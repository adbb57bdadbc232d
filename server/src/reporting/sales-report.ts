import { oneOf, orNull } from '../base/column-type.ts'
import type { Tx } from '../base/db.ts'
import { list, type RowOf, select, sql } from '../base/sql.ts'
import type { IdRange } from '../payments/transaction/store.ts'
import { tenders } from '../vouchers/sale/wire.ts'

const countColumns = list({
  shiftId: orNull(sql.uuid)`s.shift_id`,
  memberId: orNull(sql.uuid)`s.member_id`,
  cashier: sql.text`coalesce((select trim(u.other_names || ' ' || u.surname) from users u where u.id = s.member_id), '')`,
  tender: oneOf(tenders)`s.tender`,
  currency: sql.text`b.currency`,
  sold: sql.integer`(count(*) filter (where s.kind in ('sale', 'reload')))::integer`,
  value: sql.numeric`coalesce(sum(s.value) filter (where s.kind in ('sale', 'reload')), 0)`,
  taken: sql.numeric`coalesce(sum(s.price) filter (where s.kind in ('sale', 'reload')), 0)`,
  paidBack: sql.integer`(count(*) filter (where s.kind in ('void', 'cash_back')))::integer`,
  given: sql.numeric`coalesce(sum(s.price) filter (where s.kind in ('void', 'cash_back')), 0)`,
})
export type TenderCount = RowOf<typeof countColumns>

/** What each cashier took and gave back in each shift, by tender and currency. `only`: one cashier. */
export async function countTenders(
  tx: Tx,
  environmentId: string,
  { from, below }: IdRange,
  only: string | undefined,
): Promise<TenderCount[]> {
  return select(tx)`
    select ${countColumns} from voucher_sales s join ledger_books b on b.id = s.book_id
      where s.environment_id = ${environmentId} and s.id >= ${from} and s.id < ${below}
        and (${only ?? null}::uuid is null or s.member_id = ${only ?? null}::uuid)
      group by s.shift_id, s.member_id, s.tender, b.currency
      order by s.shift_id nulls first, s.member_id nulls first, b.currency, s.tender`
}
