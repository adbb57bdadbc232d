// Everything that the catalogue of PostgreSQL knows about a schema, as lines that two databases can be compared by.
import type { Db } from '../../src/base/db.ts'

// Privileges are sorted: their order has no meaning and depends on the order of the grants.
const acl = (column: string): string =>
  `(select string_agg(item::text, ' ' order by item::text) from unnest(${column}) item)`

const table = `c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'`

const queries = {
  schema: `select format('schema %s', ${acl('nspacl')}) from pg_namespace where nspname = 'public'`,
  extensions: `select format('extension %s', extname) from pg_extension`,
  types: `select format('type %s %s %s', t.typname, t.typowner::regrole,
      (select string_agg(enumlabel, ' ' order by enumsortorder) from pg_enum e where e.enumtypid = t.oid))
    from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd', 'r')`,
  relations: `select format('relation %s %s %s %s %s rls %s %s replica %s partition %s acl %s', c.relname, c.relkind, c.relpersistence,
      c.relowner::regrole, c.reloptions, c.relrowsecurity, c.relforcerowsecurity, c.relreplident, c.relispartition, ${acl('c.relacl')})
    from pg_class c where ${table}`,
  // The place among the columns that are left: dropped ones have numbers too.
  columns: `select format('column %s %s %s %s not null %s default %s identity %s generated %s storage %s options %s %s acl %s', c.relname,
      row_number() over (partition by c.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attstorage, a.attoptions, a.attcollation, ${acl('a.attacl')})
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where ${table} and c.relkind in ('r', 'v', 'p')`,
  constraints: `select format('constraint %s %s %s deferrable %s %s valid %s', conrelid::regclass, conname, pg_get_constraintdef(o.oid),
      condeferrable, condeferred, convalidated)
    from pg_constraint o join pg_class c on c.oid = o.conrelid where ${table}`,
  indexes: `select format('index %s valid %s clustered %s', pg_get_indexdef(i.indexrelid), indisvalid, indisclustered)
    from pg_index i join pg_class c on c.oid = i.indrelid where ${table}`,
  triggers: `select format('trigger %s enabled %s', pg_get_triggerdef(t.oid), tgenabled)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${table} and not tgisinternal`,
  functions: `select format('function %s owner %s acl %s', pg_get_functiondef(p.oid), proowner::regrole, ${acl('proacl')})
    from pg_proc p where pronamespace = 'public'::regnamespace`,
  views: `select format('view %s %s', c.relname, pg_get_viewdef(c.oid)) from pg_class c where ${table} and c.relkind = 'v'`,
  policies: `select format('policy %s %s %s %s %s using %s check %s', tablename, policyname, permissive, roles, cmd, qual, with_check)
    from pg_policies where schemaname = 'public'`,
  sequences: `select format('sequence %s %s %s %s %s %s owned by %s', sequencename, data_type, start_value, increment_by, max_value, cycle,
      (select format('%s.%s %s', refobjid::regclass, refobjsubid, deptype) from pg_depend
        where classid = 'pg_class'::regclass and objid = format('public.%I', sequencename)::regclass and deptype in ('a', 'i')))
    from pg_sequences where schemaname = 'public'`,
  comments: `select format('comment %s %s', pg_describe_object(classoid, objoid, objsubid), description) from pg_description
    where objoid in (select oid from pg_class c where ${table})
      or objoid in (select oid from pg_proc where pronamespace = 'public'::regnamespace)`,
  statistics: `select format('statistics %s', pg_get_statisticsobjdef(oid)) from pg_statistic_ext`,
  defaults: `select format('default privileges %s', ${acl('defaclacl')}) from pg_default_acl`,
}

export async function describeSchema(db: Db): Promise<string[]> {
  const lines: string[] = []
  for (const query of Object.values(queries)) {
    const { rows } = await db.query<{ line: string }>(`select * from (${query}) as described (line) order by 1`)
    lines.push(...rows.map(({ line }) => line))
  }
  return lines
}
