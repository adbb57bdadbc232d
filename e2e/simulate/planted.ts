// Bugs in posting that the simulation must find. Each is a change of one place in a copy of the sources.
export type Planted = { readonly name: string; readonly file: string; readonly from: string; readonly to: string }

export const planted: readonly Planted[] = [
  {
    name: 'a lost response to COMMIT is forgotten',
    file: 'ledger/poster.ts',
    from: 'waiting.isDoubted = true',
    to: 'waiting.isDoubted = false',
  },
  {
    name: 'a batch is acknowledged before COMMIT',
    file: 'ledger/batch.ts',
    from: `if ((await commit(client)) === 'rolled_back') throw new Error('PostgreSQL rolled back without an error.')`,
    to: 'void commit(client).catch(() => undefined)',
  },
  {
    name: 'a round without a response counts as rolled back',
    file: 'ledger/fast-batch.ts',
    from: `if (!isServerError(error)) throw dbError('OUTCOME_UNKNOWN', {}, error)`,
    to: 'if (!isServerError(error)) return',
  },
  {
    name: 'a round that PostgreSQL refused is acknowledged',
    file: 'ledger/fast-batch.ts',
    from: 'return false',
    to: 'return true',
  },
  {
    name: 'deferred journals are dropped',
    file: 'ledger/poster.ts',
    from: 'lane.queue.unshift(...deferred)',
    to: '',
  },
  {
    name: 'the second half of a split batch loses its first journal',
    file: 'ledger/poster.ts',
    from: 'batch.slice(middle)',
    to: 'batch.slice(middle + 1)',
  },
  {
    name: 'the results of a batch are given to the wrong callers',
    file: 'ledger/poster.ts',
    from: 'const waiting = batch[i]',
    to: 'const waiting = batch.at(i - 1)',
  },
  {
    name: 'a lost connection is used again',
    file: 'ledger/poster.ts',
    from: `Promise<void> {
  await disconnect(lane)`,
    to: 'Promise<void> {',
  },
  {
    name: 'journals queued behind a lost connection are dropped',
    file: 'ledger/poster.ts',
    from: '[...batch, ...lane.queue.splice(0)]',
    to: '[...batch, ...lane.queue.splice(0).slice(1)]',
  },
  {
    name: 'a serialisation failure rejects the journal',
    file: 'ledger/recovery.ts',
    from: `hasCode(error, '40001')`,
    to: 'false',
  },
  {
    name: 'an account stays busy after its lock is free',
    file: 'ledger/busy-accounts.ts',
    from: 'journalsByAccount.delete(nameOf(account))',
    to: '',
  },
  {
    name: 'a failed batch is not rolled back',
    file: 'ledger/batch.ts',
    from: `await client.query('rollback').catch(`,
    to: 'await Promise.resolve().catch(',
  },
  {
    name: 'another request with a used key is acknowledged',
    file: 'ledger/decide.ts',
    from: 'if (record.fingerprint !== fingerprint) return',
    to: 'if (record.fingerprint === fingerprint && record.fingerprint !== fingerprint) return',
  },
  {
    name: 'documents are written twice',
    file: 'ledger/write.ts',
    from: 'if (rows === undefined) tables.set(table, [row])',
    to: 'if (rows === undefined) tables.set(table, [row, row])',
  },
  {
    name: 'a replay names another alternative',
    file: 'ledger/decide.ts',
    from: 'posted: { journalId, alternative, postedAt, replayed: journalId !== journal.id }',
    to: 'posted: { journalId, alternative: alternative + 1, postedAt, replayed: journalId !== journal.id }',
  },
  {
    name: 'the last alternative is preferred',
    file: 'ledger/decide.ts',
    from: 'of journal.alternatives.entries()) {',
    to: 'of [...journal.alternatives.entries()].reverse()) {',
  },
  {
    name: 'accounts are locked in the order of the journals',
    file: 'ledger/lock.ts',
    from: 'named.sort((a, b) => (a.name < b.name ? -1 : 1)).map(',
    to: 'named.map(',
  },
]
