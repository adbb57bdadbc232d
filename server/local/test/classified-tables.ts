import type { Db } from '../../src/base/db.ts'
import { list, select, sql } from '../../src/base/sql.ts'
import type { Classified } from '../../src/privacy/columns.ts'

const tableColumns = list({ name: sql.text`name`, columns: sql.texts`columns` })

/** The tables of all schemas of the platform with their columns. The parts of a table are read with it. */
export async function listTables(db: Db): Promise<{ readonly name: string; readonly columns: readonly string[] }[]> {
  return select(db)`
    select ${tableColumns} from (
      select n.nspname || '.' || c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(pg_|information_schema)'
        and c.relname not in ('schema_migrations', 'schema_steps')
      group by 1 order by 1) tables`
}

/** All columns that a table is said to have. */
export function namesOf({ personal = {}, pseudonyms = '', kept = {}, plain }: Classified): string[] {
  const listed = `${pseudonyms} ${plain}`.split(' ').filter((name) => name !== '')
  return [...Object.keys(personal), ...Object.keys(kept), ...listed]
}
