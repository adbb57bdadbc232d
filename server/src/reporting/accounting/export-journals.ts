import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { timeOfId } from '../../base/id.ts'
import { writeInZone } from '../../base/zone.ts'
import type { Owner } from '../../http/caller.ts'
import { findBook } from '../../ledger/book.ts'
import { toLine } from '../csv.ts'
import type { Catalogue } from '../to-wire.ts'
import { readNumbers } from './account-numbers.ts'
import type { ReportAccount } from './accounts.ts'
import type { PeriodInput } from './period.ts'
import { readTotals } from './read-totals.ts'
import { type Entry, listEntries } from './store.ts'
import { toCell } from './write-csv.ts'

type Export = {
  readonly name: string
  readonly head: string[]
  /** The lines of journals after a journal, and the last of them. Empty: these were the last. */
  readonly readPage: (after: string | undefined) => Promise<{ readonly lines: string[]; readonly next: string }>
}

const rowsAtOnce = 2_000

/**
 * The journals of a period as lines of debits and credits: an account that gets value is debited, one that gives it is credited. Each
 * currency has columns of its own, so that a column can be added up. There is no line of totals, which would be added up too.
 */
export async function exportJournals(
  pool: Pool,
  owner: Owner,
  catalogue: Catalogue,
  input: PeriodInput,
  at: Date,
): Promise<Export> {
  const { period, totals } = await readTotals(pool, owner, input, at)
  const moved = totals.filter(({ valueIn, valueOut }) => valueIn + valueOut > 0n)
  const currencies = [...new Set(moved.map(({ currency }) => currency))]
  const numbers = new Map((await readNumbers(pool, owner)).map(({ account, number }) => [account, number]))
  const toLines = (entry: Entry): string[] =>
    writeLines(entry, { catalogue, currencies, numbers, timeZone: period.timeZone })
  const accounts = await findAccounts(pool, owner, moved)
  return {
    name: `journals-${period.from}-${period.until}.csv`,
    head: [
      ...['time', 'journal', 'kind', 'type', 'reference', 'account', 'account number'],
      ...currencies.flatMap((currency) => [`debit ${currency}`, `credit ${currency}`]),
    ],
    readPage: async (after = '') => {
      const found = await withEnvironment(pool, owner.environmentId, (tx) =>
        listEntries(tx, owner.environmentId, period, accounts, after === '' ? period.fromId : after, rowsAtOnce),
      )
      const { entries, next } = cutAtJournal(found)
      return { lines: entries.flatMap(toLines), next }
    },
  }
}

/** Whole journals only: the rest of the last one may be on the next page. */
function cutAtJournal(found: readonly Entry[]): { entries: readonly Entry[]; next: string } {
  if (found.length < rowsAtOnce) return { entries: found, next: '' }
  const cut = found.at(-1)?.journalId
  const entries = found.filter(({ journalId }) => journalId !== cut)
  return { entries, next: entries.at(-1)?.journalId ?? '' }
}

async function findAccounts(
  pool: Pool,
  { mode }: Owner,
  moved: readonly { readonly currency: string; readonly account: ReportAccount }[],
): Promise<{ account: ReportAccount; bookId: number }[]> {
  const currencies = [...new Set(moved.map(({ currency }) => currency))]
  const books = await Promise.all(
    currencies.map(async (currency) => [currency, await findBook(pool, mode, currency)] as const),
  )
  const bookOf = new Map(books)
  return moved.flatMap(({ account, currency }) => {
    const bookId = bookOf.get(currency)
    return bookId === undefined ? [] : [{ account, bookId }]
  })
}

type Columns = {
  readonly catalogue: Catalogue
  readonly currencies: readonly string[]
  readonly numbers: ReadonlyMap<ReportAccount, string>
  readonly timeZone: string
}

/** An account that a journal both debits and credits gets a line for each. */
function writeLines(entry: Entry, { catalogue, currencies, numbers, timeZone }: Columns): string[] {
  const { journalId, kind, type, reference, account, currency, valueIn, valueOut } = entry
  const facts = [writeInZone(timeOfId(journalId), timeZone), journalId, kind, type, reference, account]
  const line = (debit: bigint, credit: bigint): string => {
    const cell = (minor: bigint): string => toCell(catalogue, minor, currency)
    const amounts = currencies.flatMap((code) => (code === currency ? [cell(debit), cell(credit)] : ['', '']))
    return toLine([...facts, numbers.get(account) ?? '', ...amounts])
  }
  return [...(valueIn > 0n ? [line(valueIn, 0n)] : []), ...(valueOut > 0n ? [line(0n, valueOut)] : [])]
}
