import type { Db } from '../base/db.ts'
import { parseMoney } from '../base/money.ts'
import { list, select, sql } from '../base/sql.ts'
import { readCurrencies } from '../catalogue/currency/store.ts'
import type { Mode } from '../base/mode.ts'
import { findUser } from '../identity/user/store.ts'
import { readSymbols } from '../vouchers/code/symbols.ts'
import type { Match } from './payments-store.ts'

/** All readings of a search text: a reference, a user, an amount, or the last symbols of a code. */
export async function readSearch(db: Db, mode: Mode, text: string): Promise<Match[]> {
  const typed = text.trim()
  const user = await findUser(db, mode, typed.replace(/^@/, ''), 'any')
  const codeTail = readTail(typed)
  return [
    { reference: typed },
    ...(user === undefined ? [] : [{ userId: user.id }]),
    ...(codeTail === undefined ? [] : [{ codeTail }]),
    ...(await readAmounts(db, mode, typed)),
  ]
}

/**
 * The last symbols of a code in any case, O for 0, I and L for 1. Full codes must not appear in URLs and are not
 * searched.
 */
export function readTail(typed: string): string | undefined {
  const symbols = readSymbols(typed.replaceAll('·', ''))
  return /^[0-9A-Z]{4}$/.test(symbols) ? symbols : undefined
}

const bookColumns = list({ id: sql.smallint`id`, currency: sql.text`currency` })

/** The typed amount in every currency that has enough decimals. */
async function readAmounts(db: Db, mode: Mode, typed: string): Promise<Match[]> {
  const digits = typed.replace(',', '.')
  if (!/^\d{1,30}(\.\d{1,30})?$/.test(digits)) return []
  const books = await select(db)`select ${bookColumns} from ledger_books where mode = ${mode}`
  const currencies = await readCurrencies(db)
  return books.flatMap(({ id: bookId, currency: code }) => {
    const currency = currencies.find((each) => each.code === code)
    if (currency === undefined || (digits.split('.')[1]?.length ?? 0) > currency.decimals) return []
    const { minor: amount } = parseMoney(digits, currency)
    return amount > 0n ? [{ amount, bookId }] : []
  })
}
