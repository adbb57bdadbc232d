import type { Db } from '../base/db.ts'
import { parseMoney } from '../base/money.ts'
import { select } from '../base/sql.ts'
import { readCurrencies } from '../currency/store.ts'
import type { Mode } from '../ledger/book.ts'
import { findPerson } from '../user/store.ts'
import { readSymbols } from '../voucher/symbols.ts'
import type { Match } from './payments-store.ts'

/** What somebody may mean by what he typed: a reference, a person, an amount, the last symbols of a code. Often more than one of them. */
export async function readSearch(db: Db, mode: Mode, text: string): Promise<Match[]> {
  const typed = text.trim()
  const person = await findPerson(db, mode, typed.replace(/^@/, ''), 'any')
  const codeTail = readTail(typed)
  return [
    { reference: typed },
    ...(person === undefined ? [] : [{ userId: person.id }]),
    ...(codeTail === undefined ? [] : [{ codeTail }]),
    ...(await readAmounts(db, mode, typed)),
  ]
}

/** As people type it: in any case, O for 0, I and L for 1. A whole code has no place in an address, and is not looked for. */
export function readTail(typed: string): string | undefined {
  const symbols = readSymbols(typed.replaceAll('·', ''))
  return /^[0-9A-Z]{4}$/.test(symbols) ? symbols : undefined
}

/** The same digits are another amount in each currency. */
async function readAmounts(db: Db, mode: Mode, typed: string): Promise<Match[]> {
  const digits = typed.replace(',', '.')
  if (!/^\d{1,30}(\.\d{1,30})?$/.test(digits)) return []
  const books = await select<{ id: number; currency: string }>(db)`
    select id, currency from ledger_books where mode = ${mode}`
  const currencies = await readCurrencies(db)
  return books.flatMap(({ id: bookId, currency: code }) => {
    const currency = currencies.find((each) => each.code === code)
    if (currency === undefined || (digits.split('.')[1]?.length ?? 0) > currency.decimals) return []
    const { minor: amount } = parseMoney(digits, currency)
    return amount > 0n ? [{ amount, bookId }] : []
  })
}
