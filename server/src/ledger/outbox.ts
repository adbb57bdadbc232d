import type { Clock } from '../base/clock.ts'
import type { Tx } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import { binaryColumn } from '../base/binary-array.ts'
import { send, type Statement } from '../base/one-round.ts'
import { type Account, nameOf } from './account.ts'
import type { Entry } from './decide.ts'
import { plainArray } from './document.ts'
import { type Event, haveDuplicates, isAccount } from './event.ts'
import { accountColumns, lockAccountsOf } from './lock.ts'

type OutboxTools = { readonly newId: NewId; readonly at: Date }

/**
 * An event with its number among the events of its object. One about an account counts back from the version that the account has
 * after the batch: `later` is how many journals move the account after the event's own.
 */
type NumberedEvent = Event & { readonly journalId: string | null; readonly later: number }

// In decision order, so that the outbox lists the events of each account in the order in which they happened.
const insertOutbox = `
  insert into ledger_outbox (journal_id, event_id, environment_id, object_id, sequence, type, payload, created_at)
  select journal_id, event_id, environment_id, object_id,
    case when kind is null then number else (
      select a.version - new.number from ledger_accounts a
      where a.book_id = new.book_id and a.owner_id = new.object_id and a.kind = new.kind
    ) end,
    type, payload, $10::timestamptz
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[], $7::json[], $8::smallint[],
    $9::ledger_account_kind[])
    as new (journal_id, event_id, environment_id, object_id, number, type, payload, book_id, kind)`

/** The statement that publishes the events of a batch, after its transfers. */
export function publishStatement(entries: readonly Entry[], tools: OutboxTools): Statement | undefined {
  const events = numberEvents(entries)
  return events.length === 0 ? undefined : outboxStatement(events, tools)
}

/** Goes through the batch from its end and counts the journals that move each account. */
function numberEvents(entries: readonly Entry[]): NumberedEvent[] {
  const laterMoves = new Map<string, number>()
  const backwards: NumberedEvent[] = []
  for (const { journal, posting } of entries.toReversed()) {
    for (const event of (posting.events ?? []).toReversed()) {
      const later = isAccount(event.about) ? (laterMoves.get(nameOf(event.about)) ?? 0) : 0
      backwards.push({ ...event, journalId: journal.id, later })
    }
    const moved = new Set(posting.transfers.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))
    for (const name of moved) laterMoves.set(name, (laterMoves.get(name) ?? 0) + 1)
  }
  return backwards.reverse()
}

function outboxStatement(events: readonly NumberedEvent[], { newId, at }: OutboxTools): Statement {
  const rows = events.map(({ about, later, ...event }) => {
    if (!isAccount(about)) return { ...event, objectId: about.id, number: about.sequence, bookId: null, kind: null }
    return { ...event, objectId: about.ownerId, number: later, bookId: about.bookId, kind: about.kind }
  })
  const values = [
    binaryColumn('uuid', rows, ({ journalId }) => journalId),
    binaryColumn('uuid', rows, () => newId()),
    binaryColumn('uuid', rows, ({ environmentId }) => environmentId),
    binaryColumn('uuid', rows, ({ objectId }) => objectId),
    binaryColumn('bigint', rows, ({ number }) => number),
    binaryColumn('text', rows, ({ type }) => type),
    binaryColumn('json', rows, ({ data }) => JSON.stringify(data)),
    binaryColumn('smallint', rows, ({ bookId }) => bookId),
    plainArray(rows.map(({ kind }) => kind)),
    at.toISOString(),
  ]
  return { name: 'ledger_insert_outbox', text: insertOutbox, values }
}

/** Publishes events without a journal, in the caller's transaction. Accounts that they are about stay locked until it ends. */
export async function publishEvents(tx: Tx, events: readonly Event[], { clock, newId }: PublishTools): Promise<void> {
  if (haveDuplicates(events)) throw new Error('At most one event per object and environment.')
  const accounts = events.flatMap(({ about }) => (isAccount(about) ? [about] : []))
  if (accounts.length > 0) await raiseVersions(tx, accounts)
  const numbered = events.map((event) => ({ ...event, journalId: null, later: 0 }))
  await send(tx, outboxStatement(numbered, { newId, at: clock() }))
}
export type PublishTools = { readonly clock: Clock; readonly newId: NewId }

async function raiseVersions(tx: Tx, accounts: readonly Account[]): Promise<void> {
  await lockAccountsOf(tx, accounts)
  await tx.query(
    `update ledger_accounts a set version = a.version + 1
      from unnest($1::smallint[], $2::uuid[], $3::ledger_account_kind[]) as changed (book_id, owner_id, kind)
      where a.book_id = changed.book_id and a.owner_id = changed.owner_id and a.kind = changed.kind`,
    accountColumns(accounts),
  )
}
