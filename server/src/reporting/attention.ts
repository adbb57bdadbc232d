import type { Tx } from '../base/db.ts'
import { oneOf } from '../base/column-type.ts'
import { list, select, sql } from '../base/sql.ts'
import { attentionKinds, type WireAttention } from './wire.ts'

// The columns of the first kind. The others follow in the same statement.
const attentionColumns = list({
  kind: oneOf(attentionKinds)`'outflows_waiting'`,
  count: sql.integer`count(*)::integer`,
})

/** The numbers of items that need attention by staff, each up to 100. */
export async function listAttention(tx: Tx, environmentId: string): Promise<WireAttention[]> {
  const found = await select(tx)`
    select ${attentionColumns} from (
        select from outflows where environment_id = ${environmentId} and ended_at is null limit 100) waiting
    union all select 'invoices_waiting', count(*)::integer from (
        select from invoices where environment_id = ${environmentId} and status = 'Pending' limit 100) waiting
    union all select 'invoices_unpaid', count(*)::integer from (
        select from invoices where environment_id = ${environmentId} and status = 'Approved' and paid_at is null
          limit 100) unpaid
    union all select 'deposit_cases', count(*)::integer from (
        select from deposit_cases where environment_id = ${environmentId} and resolved_at is null limit 100) open
    union all select 'vouchers_frozen', count(*)::integer from (
        select from voucher_pins p join vouchers v on v.id = p.voucher_id and v.environment_id = ${environmentId}
          where p.wrong_in_all >= 10 limit 100) frozen
    union all select 'webhooks_failing', count(*)::integer from (
        select from webhook_endpoints where environment_id = ${environmentId}
          and (status = 'disabled' or (status = 'enabled' and failing_since is not null)) limit 100) failing`
  return found.filter(({ count }) => count > 0)
}
