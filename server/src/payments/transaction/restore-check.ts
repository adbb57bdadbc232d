// Compares acknowledged references with the database, after a restore.
import type { Db } from '../../base/db.ts'
import { parseMoney } from '../../base/money.ts'
import { list, type RowOf, select } from '../../base/sql.ts'
import { type CatalogueCurrency, pickCurrency } from '../../catalogue/currency/store.ts'
import { ledgerBooks } from '../../ledger/book.ts'
import { transactions } from './store.ts'

/** A request that a client or a report knows to be done. */
export type Acknowledged = {
  /** Undefined: the database has no such merchant. */
  readonly environmentId: string | undefined
  readonly reference: string
  /** In major units. */
  readonly amount?: string | undefined
  readonly currency?: string | undefined
  readonly requestedAt?: Date | undefined
  readonly acknowledgedAt?: Date | undefined
}

/**
 * `missing`: acknowledged before the time of the restore, and absent. `different`: its amount or currency differs.
 * `lost`: acknowledged later, and absent, which the client has to repeat. `later`: requested after the time of the restore,
 * and present, so the restore went further than it should.
 */
export type Verdict = 'present' | 'missing' | 'different' | 'lost' | 'later'

const foundColumns = list({
  ...transactions.columns('t', 'reference', 'amount'),
  ...ledgerBooks.columns('b', 'currency'),
})
type Found = RowOf<typeof foundColumns>

/** Connects as the owner of the tables, who sees the rows of every environment. */
async function findReferences(db: Db, environmentId: string, references: readonly string[]): Promise<Found[]> {
  return select(db)`
    select ${foundColumns} from unnest(${references}::text[]) as wanted (reference)
      join ledger_keys k on k.key_hash = reference_key(${environmentId}, wanted.reference)
      join all_transactions t on t.environment_id = ${environmentId} and t.id = k.journal_id and t.reference = wanted.reference
      join ledger_books b on b.id = t.book_id`
}

/** Returns a verdict for each entry, with one query per environment. Without `until`, every entry must be present. */
export async function compareReferences<Entry extends Acknowledged>(
  db: Db,
  catalogue: readonly CatalogueCurrency[],
  entries: readonly Entry[],
  until?: Date,
): Promise<{ entry: Entry; verdict: Verdict }[]> {
  const found = new Map<string, Found>()
  const groups = Map.groupBy(entries, ({ environmentId }) => environmentId)
  for (const [environmentId, group] of groups) {
    if (environmentId === undefined) continue
    const references = group.map(({ reference }) => reference)
    for (const row of await findReferences(db, environmentId, references))
      found.set(`${environmentId}/${row.reference}`, row)
  }
  return entries.map((entry) => {
    const row = found.get(`${entry.environmentId}/${entry.reference}`)
    return { entry, verdict: judge(entry, row, catalogue, until) }
  })
}

function judge(
  entry: Acknowledged,
  row: Found | undefined,
  catalogue: readonly CatalogueCurrency[],
  until: Date | undefined,
): Verdict {
  const { requestedAt, acknowledgedAt } = entry
  if (row === undefined)
    return until !== undefined && acknowledgedAt !== undefined && acknowledgedAt >= until ? 'lost' : 'missing'
  if (!isSameMoney(entry, row, catalogue)) return 'different'
  return until !== undefined && requestedAt !== undefined && requestedAt > until ? 'later' : 'present'
}

function isSameMoney({ amount, currency }: Acknowledged, row: Found, catalogue: readonly CatalogueCurrency[]): boolean {
  if (currency !== undefined && currency !== row.currency) return false
  if (amount === undefined) return true
  try {
    return parseMoney(amount, pickCurrency(catalogue, row.currency, 'any')).minor === row.amount
  } catch {
    // An amount that the currency cannot have is not the one in the database.
    return false
  }
}
