import { hash } from 'node:crypto'
import { type Account, nameOf } from './account.ts'
import type { Document } from './document.ts'
import { ledgerError } from './errors.ts'
import { type Event, haveTwins, isAccount } from './event.ts'

/** Moves a positive amount of minor units between two accounts of one book. */
export type Transfer = { readonly from: Account; readonly to: Account; readonly amount: bigint }

/**
 * `reserve` makes a hold, `settle` frees a part of it for this journal's own transfers, `release` gives back what is
 * left. The account is named with the hold, because accounts are locked before holds are read.
 */
export type HoldAct =
  | { act: 'reserve'; holdId: string; account: Account; amount: bigint; expiresAt: Date }
  | { act: 'settle'; holdId: string; account: Account; amount: bigint }
  | { act: 'release'; holdId: string; account: Account }

/** One way to post a journal. All of it happens, or nothing. */
export type Posting = {
  readonly transfers: readonly Transfer[]
  readonly holds?: readonly HoldAct[]
  /** Accounts to open if they are not there. Any other that is not there refuses the posting. */
  readonly open?: readonly Account[]
  readonly documents?: readonly Document[]
  readonly events?: readonly Event[]
}

export type Journal = {
  readonly id: string
  readonly kind: string
  /** Unique for ever. A repeat is answered from the record. */
  readonly key: string
  /** What the caller asked for, never what was computed from it. A repeat that asks for something else is a conflict. */
  readonly asked: string
  /** In order: the first that fits is posted. */
  readonly alternatives: readonly [Posting, ...Posting[]]
}

export type Posted = {
  readonly journalId: string
  readonly alternative: number
  readonly postedAt: Date
  /** Answered from the record of an earlier call. */
  readonly replayed: boolean
}

/** 128 bits of SHA-256, as the 32 digits that PostgreSQL reads as a uuid: see ledger_journals in the migration. */
export function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** One of these kinds moves nothing yet: it takes its key for what it records, such as a request for payment. */
const claimScope = 'claim.'
export const expiryScope = 'hold.expire/'

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A journal that no state of the ledger could accept is a fault of its maker, told before it travels with others. */
export function checkJournal(journal: Journal): void {
  if (!idForm.test(journal.id)) throw invalid(journal, 'its id is a UUID')
  if ([journal.key, journal.asked, journal.kind].some((text) => typeof text !== 'string'))
    throw invalid(journal, 'key, question and kind are texts')
  // Whoever took the key by which a dead hold is released would keep its account from ever posting again.
  if (journal.key.startsWith(expiryScope) !== (journal.kind === 'hold.expire'))
    throw invalid(journal, 'keys of expiries belong to expiries')
  for (const account of accountsOf(journal))
    if (!idForm.test(account.ownerId)) throw invalid(journal, 'an account belongs to a UUID')
  for (const { transfers, holds = [], documents = [], events = [] } of journal.alternatives) {
    const isClaim = journal.kind.startsWith(claimScope) && documents.length > 0
    if (transfers.length + holds.length === 0 && !isClaim) throw invalid(journal, 'it moves nothing')
    for (const { from, to, amount } of transfers) {
      if (amount <= 0n) throw invalid(journal, 'a transfer is positive')
      if (from.bookId !== to.bookId) throw invalid(journal, 'a transfer stays in one book')
      if (from.ownerId === to.ownerId && from.kind === to.kind) throw invalid(journal, 'a transfer has two accounts')
    }
    for (const hold of holds) {
      if (!idForm.test(hold.holdId)) throw invalid(journal, "a hold's id is a UUID")
      if (hold.act !== 'release' && hold.amount <= 0n) throw invalid(journal, 'a hold act is positive')
      if (hold.act === 'settle' && !transfers.some(({ from }) => nameOf(from) === nameOf(hold.account)))
        throw invalid(journal, 'what is settled leaves the account')
    }
    if (haveTwins(events)) throw invalid(journal, 'an environment is told once of each thing')
    // What moves an account numbers its events.
    const moved = new Set(transfers.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))
    for (const { about } of events)
      if (isAccount(about) && !moved.has(nameOf(about))) throw invalid(journal, 'an event is about what it moves')
  }
}

function invalid(journal: Journal, why: string): Error {
  return ledgerError('LEDGER_JOURNAL_INVALID', { kind: journal.kind, why })
}

export function* accountsOf(journal: Journal): Generator<Account> {
  for (const { transfers, holds, open } of journal.alternatives) {
    for (const { from, to } of transfers) {
      yield from
      yield to
    }
    if (holds) for (const hold of holds) yield hold.account
    if (open) yield* open
  }
}
