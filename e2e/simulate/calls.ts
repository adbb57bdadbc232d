// The journals that a schedule posts, and what their callers must learn.
import { oneOf } from '../../server/local/parts/seeded-random.ts'
import type { Account, AccountKind } from '../../server/src/ledger/account.ts'
import type { Document } from '../../server/src/ledger/document.ts'
import type { HoldAct, Journal, Posted, Posting, Transfer } from '../../server/src/ledger/journal.ts'

export type Call = {
  readonly journal: Journal
  readonly atMs: number
  /** The process that gets it. */
  readonly ledger: number
  /** True if nothing but trouble can refuse it. */
  readonly mustPost: boolean
  readonly isPoison: boolean
  settledMs?: number
  posted?: Posted
  error?: Error & { readonly code?: string }
}

const bookId = 1
const startBalance = 100n
const treasury = accountOf('treasury', 0)
export const vouchers = Array.from({ length: 6 }, (_, n) => accountOf('voucher', n))
const merchants = Array.from({ length: 3 }, (_, n) => accountOf('merchant', n))
/** Accounts that the journals open. */
export const newAccounts = Array.from({ length: 3 }, (_, n) => accountOf('wallet', n))

/** The accounts that exist when a schedule starts, with their balances. */
export const firstAccounts: readonly (readonly [Account, bigint])[] = [
  [treasury, -startBalance * BigInt(vouchers.length)],
  ...vouchers.map((account) => [account, startBalance] as const),
  ...merchants.map((account) => [account, 0n] as const),
]

function accountOf(kind: AccountKind, n: number): Account {
  return { bookId, ownerId: idOf(kind.length, n), kind }
}

/** An id that orders ids by group and number. */
export function idOf(group: number, n: number): string {
  return `${group.toString(16).padStart(8, '0')}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

const holdLifeMs = 3_600_000
const table = (name: string): Document['table'] => ({
  name,
  insert: (rows) => ({ name: `document_${name}`, text: '', values: [`{${rows.map(() => 1).join(',')}}`] }),
})
const noted = table('notes')
const poisoned = table('poison')

type Make = { readonly random: () => number; readonly newId: () => string; readonly startAt: Date }

/** The calls of a schedule, in no particular order. */
export function createCalls({ random, newId, startAt }: Make, ledgers: number): Call[] {
  const upTo = (max: number): number => Math.floor(random() * (max + 1))
  const calls: Call[] = []
  const add = (atMs: number, posting: Posting | readonly Posting[], terms: Partial<Call> = {}): void => {
    const id = newId()
    const [first, ...rest] = 'transfers' in posting ? [posting] : posting
    if (first === undefined) throw new Error('A journal needs a posting.')
    const journal = {
      id,
      kind: 'simulated',
      key: `key/${id}`,
      requestFingerprint: 'same',
      alternatives: [first, ...rest],
    } as const
    calls.push({ journal, atMs, ledger: upTo(ledgers - 1), mustPost: false, isPoison: false, ...terms })
  }
  for (let count = 10 + upTo(25); count > 0; count--) {
    // Many at once, so that they share batches.
    const atMs = oneOf(random, [0, 0, 5, 50, 300, upTo(2_500)])
    const [voucher, merchant] = [oneOf(random, vouchers), oneOf(random, merchants)]
    const amount = BigInt(1 + upTo(30))
    const pays = (from: Account): Transfer => ({ from, to: merchant, amount })
    const act = random()
    if (act < 0.3) add(atMs, { transfers: [pays(voucher)], documents: [{ table: noted, row: {} }] })
    else if (act < 0.4) add(atMs, [{ transfers: [pays(voucher)] }, { transfers: [pays(oneOf(random, vouchers))] }])
    else if (act < 0.6) add(atMs, { transfers: [{ from: treasury, to: voucher, amount }] }, { mustPost: true })
    else if (act < 0.63) add(atMs, bothFit(voucher, amount), { mustPost: true })
    else if (act < 0.7) add(atMs, openingOf(oneOf(random, newAccounts), amount), { mustPost: true })
    else if (act < 0.75) add(atMs, poisonOf(voucher, amount), { isPoison: true })
    else if (act < 0.85) addHold(add, atMs, newId(), voucher, amount, new Date(startAt.getTime() + holdLifeMs))
    else repeat(calls, { random, newId, startAt }, atMs, upTo(ledgers - 1))
  }
  return calls
}

/** Two alternatives that always fit: the first must be taken. */
function bothFit(to: Account, amount: bigint): Posting[] {
  const documents = [{ table: noted, row: {} }]
  return [
    { transfers: [{ from: treasury, to, amount }], documents },
    { transfers: [{ from: treasury, to, amount: 1n }] },
  ]
}

function openingOf(account: Account, amount: bigint): Posting {
  return { transfers: [{ from: treasury, to: account, amount }], open: [account] }
}

/** PostgreSQL refuses its document, and with it the whole batch. */
function poisonOf(voucher: Account, amount: bigint): Posting {
  return { transfers: [{ from: treasury, to: voucher, amount }], documents: [{ table: poisoned, row: {} }] }
}

/** Reserves an amount and uses the hold in the same moment: both may come in one batch, and the second is deferred. */
function addHold(
  add: (atMs: number, posting: Posting, terms?: Partial<Call>) => void,
  atMs: number,
  holdId: string,
  account: Account,
  amount: bigint,
  expiresAt: Date,
): void {
  const hold = { holdId, account, amount }
  const holdOf = (act: HoldAct): Posting => ({ transfers: [], holds: [act] })
  add(atMs, holdOf({ ...hold, act: 'reserve', expiresAt }), { ledger: 0 })
  add(atMs, holdOf({ act: 'release', holdId, account }), { ledger: 0 })
}

/** Sends an earlier key again: the same request, or another one under the same key. */
function repeat(calls: Call[], { random, newId }: Make, atMs: number, ledger: number): void {
  const original = calls[Math.floor(random() * calls.length)]
  if (original === undefined || original.isPoison) return
  const isOther = random() < 0.3
  const journal = { ...original.journal, id: newId(), ...(isOther && { requestFingerprint: 'other' }) }
  calls.push({ ...original, journal, atMs, ledger })
  if (!isOther) return
  // Of two different requests with one key, either may be first, and the other is a conflict.
  for (const [i, call] of calls.entries()) if (call.journal.key === journal.key) calls[i] = { ...call, mustPost: false }
}
