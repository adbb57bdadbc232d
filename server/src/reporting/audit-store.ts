import { oneOf, orNull } from '../base/column-type.ts'
import type { Tx } from '../base/db.ts'
import { modes } from '../base/mode.ts'
import { list, type RowOf, select, sql } from '../base/sql.ts'
import { type ActKind, kindOfAct } from './act-kinds.ts'

const actColumns = list({
  id: sql.uuid`a.id`,
  at: sql.timestamptz`a.created_at`,
  userId: orNull(sql.uuid)`a.user_id`,
  keyId: orNull(sql.uuid)`a.key_id`,
  ranBy: sql.text`a.ran_by`,
  mode: orNull(oneOf(modes))`a.mode`,
  operation: sql.text`a.operation`,
  object: sql.text`a.object`,
  address: sql.text`a.address`,
  status: orNull(sql.smallint)`a.status`,
  member: sql.text`coalesce(trim(u.other_names || ' ' || u.surname), '')`,
  email: sql.text`coalesce(u.email, '')`,
  /** Keys of the other mode are not named. */
  keyName: sql.text`coalesce((select k.name from merchant_keys k where k.id = a.key_id), '')`,
})
export type AuditRow = RowOf<typeof actColumns>

export type AuditFilter = {
  /** The id of a staff member, or "keys" or "operator". */
  readonly who?: string | undefined
  readonly kind?: ActKind | undefined
}
type Range = { readonly from: string; readonly below: string }

// Rows read per page of a filtered list: a page may be short or empty and still have a next one.
const scanMax = 1_000

/** Newest first, as far as the rows read for one page go. */
export async function findActs(
  tx: Tx,
  merchantId: string,
  { from, below }: Range,
  filter: AuditFilter,
  limit: number,
): Promise<{ acts: AuditRow[]; next: string }> {
  const isFiltered = filter.who !== undefined || filter.kind !== undefined
  const scan = isFiltered ? Math.max(scanMax, limit + 1) : limit + 1
  const rows = await select(tx)`
    select ${actColumns} from (
      select * from all_acts where merchant_id = ${merchantId} and id >= ${from} and id < ${below}
        order by id desc limit ${scan}
    ) a left join users u on u.id = a.user_id order by a.id desc`
  const wanted = rows.filter((row) => isWanted(row, filter))
  const acts = wanted.slice(0, limit)
  const last = wanted.length > limit ? acts.at(-1) : rows.length === scan ? rows.at(-1) : undefined
  return { acts, next: last?.id ?? '' }
}

function isWanted({ userId, keyId, ranBy, operation }: AuditRow, { who, kind }: AuditFilter): boolean {
  if (kind !== undefined && kindOfAct(operation) !== kind) return false
  if (who === undefined) return true
  if (who === 'keys') return keyId !== null
  return who === 'operator' ? ranBy !== '' : userId === who
}

const nameColumns = list({ id: sql.uuid`n.id`, name: sql.text`n.name` })

/** The names of staff members, customers and invoices of the environment, by their ids. */
export async function nameObjects(tx: Tx, environmentId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await select(tx)`
    select ${nameColumns} from (
      select id, trim(other_names || ' ' || surname) as name from users where id = any(${ids}::uuid[]) and realm = 'staff'
      union all select id, name from customers where environment_id = ${environmentId} and id = any(${ids}::uuid[])
      union all select id, number from invoices where environment_id = ${environmentId} and id = any(${ids}::uuid[])
    ) n`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
