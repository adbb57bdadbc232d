import type { Tx } from '../../base/db.ts'
import { nameOf } from '../../ledger/account.ts'
import { type BatchTools, postWithin } from '../../ledger/batch.ts'
import { type Event, isAccount } from '../../ledger/event.ts'
import type { Journal, Posting } from '../../ledger/journal.ts'
import { publishEvents } from '../../ledger/outbox.ts'

/**
 * Posts within the caller's transaction. A journal numbers one event per account that it moves, so other events, such as that of a
 * voucher whose value moves between a vault and the treasury, are published before it.
 */
export async function postWithEvents(
  tools: BatchTools,
  tx: Tx,
  identity: Pick<Journal, 'id' | 'kind' | 'key'>,
  posting: Posting,
): Promise<void> {
  const moved = new Set(posting.transfers.flatMap(({ from, to }) => [nameOf(from), nameOf(to)]))
  const numbered = new Map<string, Event>()
  for (const event of posting.events ?? []) {
    const { about, environmentId } = event
    const name = `${environmentId}/${isAccount(about) ? nameOf(about) : about.id}`
    if (isAccount(about) && moved.has(nameOf(about)) && !numbered.has(name)) numbered.set(name, event)
    else await publishEvents(tx, [event], tools)
  }
  const alternatives = [{ ...posting, events: [...numbered.values()] }] as const
  await postWithin(tx, { ...identity, requestFingerprint: '', alternatives }, tools)
}
