import { activeSpan, inShared, type Span } from '../base/trace.ts'
import type { Journal, Posted } from './journal.ts'
import type { Waiting } from './waiting.ts'

/** The spans of a journal of a traced request: the posting as a whole, and the wait for its first batch. */
export type JournalTrace = { readonly posting: Span; readonly wait: Span }

/** Undefined for a journal whose request is not traced, as nearly all are. */
export function traceJournal({ id, kind }: Journal): JournalTrace | undefined {
  const posting = activeSpan()?.child('ledger.post', { 'scrip.journal.id': id, 'scrip.journal.kind': kind })
  return posting && { posting, wait: posting.child('ledger.wait') }
}

/** Ends the spans of a journal with its result. */
export async function endPosting({ posting, wait }: JournalTrace, posted: Promise<Posted>): Promise<Posted> {
  try {
    const result = await posted
    posting.end()
    return result
  } catch (error) {
    posting.end(error)
    throw error
  } finally {
    wait.end()
  }
}

/** Runs a batch. If it has journals of traced requests, it is a trace of its own that is linked with each of theirs. */
export function traceBatch<T>(batch: readonly Waiting[], work: () => Promise<T>): Promise<T> {
  const traces = batch.flatMap(({ trace }) => (trace === undefined ? [] : [trace]))
  if (traces.length === 0) return work()
  for (const { wait } of traces) wait.end()
  const postings = traces.map(({ posting }) => posting)
  return inShared('ledger.batch', { 'scrip.batch.journals': batch.length }, postings, work)
}
