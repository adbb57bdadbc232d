import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { execute, executeOne, list, selectOne, sql } from '../../base/sql.ts'
import { defineTable } from '../../base/table.ts'
import { documentOf } from '../../ledger/document.ts'

const voucherOrders = defineTable('voucher_orders', {
  environmentId: sql.uuid,
  /** The shop's number of the order. */
  orderReference: sql.text,
  /** Of the redemption or the hold. */
  id: sql.uuid,
  /** The same one's reference. */
  reference: sql.text,
})

/** Stored in the commit of the redemption or the hold. The primary key refuses a second one for the order. */
export const orderDocument = documentOf(voucherOrders)

const orderColumns = list(voucherOrders.columns('', 'id', 'reference'))

type OrderUse = {
  readonly environmentId: string
  readonly orderReference: string
  /** Of the request itself, whose concurrent retry may have been first. The ledger recognises it. Undefined for a quote. */
  readonly reference: string | undefined
  readonly at: Date
}

/**
 * Whether another voucher of which an order takes only one was used for this order. An order is free again when its hold ended without a
 * capture, when its redemption failed on its network, and when everything that was paid for it was refunded in full.
 */
export async function isOrderTaken(
  pool: Pool,
  { environmentId, orderReference, reference, at }: OrderUse,
): Promise<boolean> {
  return withEnvironment(pool, environmentId, async (tx) => {
    const known = await selectOne(tx)`
      select ${orderColumns} from voucher_orders
        where environment_id = ${environmentId} and order_reference = ${orderReference}`
    if (known === undefined || known.reference === reference) return false
    const { id } = known
    // An extension of the hold may be about to commit.
    await execute(tx)`select from voucher_holds where environment_id = ${environmentId} and id = ${id} for share`
    const isFreed = await executeOne(tx)`
      delete from voucher_orders o where environment_id = ${environmentId} and order_reference = ${orderReference} and id = ${id}
        and not exists (select from voucher_holds h where h.environment_id = o.environment_id and h.id = o.id
          and h.state = 'OPEN' and h.expires_at > ${at})
        and (exists (select from voucher_holds h where h.environment_id = o.environment_id and h.id = o.id)
          or exists (select from transactions t where t.environment_id = o.environment_id and t.id = o.id
            and (t.status = 'FAILED' or t.refunded >= t.amount)))
        and not exists (select from voucher_hold_captures c where c.environment_id = o.environment_id and c.hold_id = o.id
          and not exists (select from transactions t where t.environment_id = c.environment_id and t.id = c.id
            and t.refunded >= t.amount))`
    return !isFreed
  })
}
