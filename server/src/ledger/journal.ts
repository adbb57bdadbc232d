import { hash } from 'node:crypto'
import { type Account, nameOf } from './account.ts'
import type { Document } from './document.ts'
import { ledgerError } from './errors.ts'
import { type Event, haveDuplicates, isAccount } from './event.ts'

/** Moves a positive amount of minor units between two accounts of one book. */
export type Transfer = { readonly from: Account; readonly to: Account; readonly amount: bigint }

/**
 * `reserve` creates a hold, `settle` frees a part of it for the transfers of this journal, `release` frees the rest. The
 * account is given along with the hold because accounts are locked before holds are read.
 */
export type HoldAct =
  | { act: 'reserve'; holdId: string; account: Account; amount: bigint; expiresAt: Date }
  | { act: 'settle'; holdId: string; account: Account; amount: bigint }
  | { act: 'release'; holdId: string; account: Account }

/** One way to post a journal, all or nothing. */
export type Posting = {
  readonly transfers: readonly Transfer[]
  readonly holds?: readonly HoldAct[]
  /** Accounts to open if they do not exist. Any other missing account refuses the posting. */
  readonly open?: readonly Account[]
  readonly documents?: readonly Document[]
  readonly events?: readonly Event[]
}

export type Journal = {
  readonly id: string
  readonly kind: string
  /** Unique forever. A retry with the same key returns the recorded result. */
  readonly key: string
  /** Identifies the caller's input, not values computed from it. A retry with another fingerprint is a conflict. */
  readonly requestFingerprint: string
  /** Tried in order: the first that fits is posted. */
  readonly alternatives: readonly [Posting, ...Posting[]]
}

export type Posted = {
  readonly journalId: string
  readonly alternative: number
  readonly postedAt: Date
  /** Whether an earlier call posted this journal. */
  readonly replayed: boolean
}

/** The first 128 bits of SHA-256 as 32 hex digits, which PostgreSQL stores as a uuid. */
export function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}

/** Journals of these kinds move nothing yet: they claim a key for what they record, such as a payment request. */
const claimScope = 'claim.'
export const expiryScope = 'hold.expire/'

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Throws if the journal could never be valid, before it joins a batch with others. */
export function checkJournal(journal: Journal): void {
  if (!idForm.test(journal.id)) throw invalid(journal, 'its id is a UUID')
  if ([journal.key, journal.requestFingerprint, journal.kind].some((text) => typeof text !== 'string'))
    throw invalid(journal, 'key, fingerprint and kind are strings')
  // A caller that took the key that releases an expired hold would block the account forever.
  if (journal.key.startsWith(expiryScope) !== (journal.kind === 'hold.expire'))
    throw invalid(journal, 'keys of hold expiries are reserved for hold expiries')
  for (const account of accountsOf(journal))
    if (!idForm.test(account.ownerId)) throw invalid(journal, "an account's owner is a UUID")
  for (const { transfers, holds = [], events = [] } of journal.alternatives) {
    const isClaim = journal.kind.startsWith(claimScope)
    if (transfers.length + holds.length === 0 && !isClaim) throw invalid(journal, 'it moves nothing')
    for (const { from, to, amount } of transfers) {
      if (amount <= 0n) throw invalid(journal, "a transfer's amount is positive")
      if (from.bookId !== to.bookId) throw invalid(journal, 'a transfer stays in one book')
      if (from.ownerId === to.ownerId && from.kind === to.kind)
        throw invalid(journal, 'a transfer needs two different accounts')
    }
    for (const hold of holds) {
      if (!idForm.test(hold.holdId)) throw invalid(journal, "a hold's id is a UUID")
      if (hold.act !== 'release' && hold.amount <= 0n) throw invalid(journal, "a hold's amount is positive")
      if (hold.act === 'settle' && !transfers.some(({ from }) => nameOf(from) === nameOf(hold.account)))
        throw invalid(journal, 'a settled amount must leave the account')
    }
    if (haveDuplicates(events)) throw invalid(journal, 'at most one event per object and environment')
    // Events about an account are numbered by the transfers that move it.
    const moved = new Set(transfers.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))
    for (const { about } of events)
      if (isAccount(about) && !moved.has(nameOf(about)))
        throw invalid(journal, 'an event must be about an account that the journal moves')
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
