import type { Tx } from '../../base/db.ts'
import { parseMoney } from '../../base/money.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { type ListedMove, listMoves } from './store.ts'

/** Moves that a page of a search reads: a search must not read years of activity at once. */
const scanMax = 500

export type MovePage = {
  readonly moves: ListedMove[]
  /** The cursor of the next page, also after a short or empty page. Empty: all moves were searched. */
  readonly next: string
}

/** One page of the moves that a search finds, newest first. Both moves of an exchange are found by either. */
export async function searchMoves(
  tx: Tx,
  { userId, text, before, limit }: { userId: string; text: string; before: string; limit: number },
  catalogue: readonly CatalogueCurrency[],
  scan = scanMax,
): Promise<MovePage> {
  const scanned = await listMoves(tx, userId, before, scan)
  const matches = readSearch(text, catalogue)
  const found = new Set(scanned.filter(matches).map(({ id }) => id))
  const page = [...found].slice(0, limit)
  const ids = new Set(scanned.map(({ id }) => id))
  const last = found.size > limit ? page.at(-1) : ids.size === scan ? scanned.at(-1)?.id : undefined
  return { moves: scanned.filter(({ id }) => page.includes(id)), next: last ?? '' }
}

type Matches = (move: Pick<ListedMove, 'id' | 'withName' | 'note' | 'amount' | 'currency'>) => boolean

/** All readings of a search text: a part of a name or a note, the end of a reference, or an amount in any currency. */
function readSearch(text: string, catalogue: readonly CatalogueCurrency[]): Matches {
  const words = fold(text.trim())
  // As receipts show it: the end of the id, after an ellipsis.
  const reference = words.replace(/^…/, '')
  const isReference = /^[0-9a-f-]{6,36}$/.test(reference)
  const amounts = readAmounts(text)
  const minorIn = new Map(catalogue.map((currency) => [currency.code, amounts.flatMap(toMinor(currency))]))
  return ({ id, withName, note, amount, currency }) =>
    fold(withName).includes(words) ||
    fold(note).includes(words) ||
    (isReference && id.endsWith(reference)) ||
    (minorIn.get(currency) ?? []).includes(amount < 0n ? -amount : amount)
}

/** Without case and accents: "jose" finds José. */
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/**
 * The typed amount as decimals, whatever separators the user's language has: "1,500" may be 1500 or 1.5. A sign or a symbol around the
 * digits is ignored.
 */
function readAmounts(text: string): string[] {
  const [digits = ''] = /^\d[\d.,]*$/.exec(text.replaceAll(/[\s’'+−-]|\p{Sc}/gu, '')) ?? []
  const withPoint = /^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(digits) ? [digits.replaceAll(',', '')] : []
  const withComma = /^(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/.test(digits)
    ? [digits.replaceAll('.', '').replace(',', '.')]
    : []
  return [...withPoint, ...withComma]
}

function toMinor(currency: CatalogueCurrency): (decimal: string) => bigint[] {
  return (decimal) => {
    const [whole = '', fraction = ''] = decimal.split('.')
    const short = fraction.replace(/0+$/, '')
    if (short.length > currency.decimals || whole.length > 40) return []
    const plain = whole.replace(/^0+(?=\d)/, '')
    return [parseMoney(short === '' ? plain : `${plain}.${short}`, currency).minor]
  }
}
