// Moves old quarters of the tables that are divided by time to the archive, where reports and checks still read them.
import type { Clock } from '../base/clock.ts'
import { connect, type Connection } from '../base/db.ts'
import { runInTransaction, type StepTools } from '../base/run-step.ts'
import { list, select, sql } from '../base/sql.ts'

type ArchiveTools = { readonly clock: Clock; readonly report: (line: string) => void }

const endedParts = list({
  part: sql.text`part`,
  endsAt: sql.timestamptz`ends_at`,
  openTransactions: sql.bigint`open_transactions`,
})

/**
 * Archives the parts of quarters that ended before `before`, oldest first, as the owner of the tables, while servers are at work.
 * Returns their names. Stops at a part with an open transaction, whose status has to change where it is.
 */
export async function archiveParts(ownerUrl: string, before: Date, { clock, report }: ArchiveTools): Promise<string[]> {
  const client = await connect(ownerUrl)
  try {
    const tools = { client, clock, report }
    const ended = await select(client)`select ${endedParts} from ended_parts(${before})`
    const archived: string[] = []
    for (const { part, endsAt, openTransactions } of ended) {
      if (openTransactions > 0n)
        throw new Error(
          `Part ${part} has ${openTransactions} open transactions. Settle or cancel them, then archive it.`,
        )
      await archivePart(tools, part)
      report(`${part}: archived, with everything before ${endsAt.toISOString()}`)
      archived.push(part)
    }
    return archived
  } finally {
    await client.end()
  }
}

async function archivePart(tools: StepTools, part: string): Promise<void> {
  for (const { name, idColumn } of await listTables(tools.client)) await checkBounds(tools, `${name}_${part}`, idColumn)
  await runInTransaction(tools, part, () => tools.client.query('select archive_part($1)', [part]))
}

const dividedTables = list({ name: sql.text`name`, idColumn: sql.text`id_column` })

function listTables(client: Connection): Promise<{ name: string; idColumn: string }[]> {
  return select(client)`select ${dividedTables} from divided_tables()`
}

/** Adds the bounds of a part as a constraint and checks its rows, which blocks no one: joining the archive then reads no row. */
async function checkBounds(tools: StepTools, name: string, idColumn: string): Promise<void> {
  const { client } = tools
  const { rows } = await client.query<{ lower: string | null; upper: string }>(
    `select substring(bounds from 'FROM \\(''([0-9a-f-]{36})''') as lower, substring(bounds from 'TO \\(''([0-9a-f-]{36})''') as upper
      from (select pg_get_expr(relpartbound, oid) as bounds from pg_class where oid = $1::regclass) part`,
    [name],
  )
  const [bounds] = rows
  if (bounds === undefined) throw new Error(`${name} is no part of a table.`)
  const lower = bounds.lower === null ? '' : `${idColumn} >= '${bounds.lower}' and `
  await runInTransaction(tools, name, () =>
    client.query(`
      alter table ${name} drop constraint if exists in_part;
      alter table ${name} add constraint in_part check (${idColumn} is not null and ${lower}${idColumn} < '${bounds.upper}') not valid`),
  )
  await runInTransaction(tools, name, () => client.query(`alter table ${name} validate constraint in_part`))
}
