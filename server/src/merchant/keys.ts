import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { NewId } from '../base/id.ts'
import type { Random } from '../base/random.ts'
import type { Mode } from '../ledger/book.ts'
import { merchantError } from './errors.ts'
import { digestKey, type KeyKind, makeKey, showKey } from './key.ts'
import { endKey, insertKey, type KeyFacts, selectKeys } from './store.ts'

export type KeyTools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly newId: NewId
  readonly random: Random
  readonly pepper: Buffer
}
export type Environment = { readonly environmentId: string; readonly mode: Mode }
export type MadeKey = { readonly id: string /** Shown this once. */; readonly key: string }

const overlapMs = 24 * 60 * 60 * 1_000

export async function createKey(
  tools: KeyTools,
  { environmentId, mode }: Environment,
  ask: { kind: KeyKind; name: string; origins?: readonly string[] },
): Promise<MadeKey> {
  const made = make(tools, mode, ask)
  await withEnvironment(tools.pool, environmentId, (tx) => insertKey(tx, environmentId, made.row, tools.clock()))
  return { id: made.row.id, key: made.key }
}

/** A new key like the old one, which goes on working for a day. */
export async function rotateKey(
  tools: KeyTools,
  { environmentId, mode }: Environment,
  keyId: string,
): Promise<MadeKey> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const now = tools.clock()
    const old = await endKey(tx, keyId, new Date(now.getTime() + overlapMs), now)
    if (old === undefined) throw merchantError('KEY_NOT_FOUND')
    if (old.hasEnded) throw merchantError('KEY_ENDED')
    const made = make(tools, mode, old)
    await insertKey(tx, environmentId, made.row, now)
    return { id: made.row.id, key: made.key }
  })
}

/** Ends a key at once. Servers that have it in their cache follow within seconds. */
export async function revokeKey(
  { pool, clock }: KeyTools,
  { environmentId }: Environment,
  keyId: string,
): Promise<void> {
  const ended = await withEnvironment(pool, environmentId, (tx) => endKey(tx, keyId, clock(), clock()))
  if (ended === undefined) throw merchantError('KEY_NOT_FOUND')
}

export async function listKeys({ pool }: KeyTools, { environmentId }: Environment): Promise<KeyFacts[]> {
  return withEnvironment(pool, environmentId, selectKeys)
}

function make(
  { random, pepper, newId }: KeyTools,
  mode: Mode,
  { kind, name, origins = [] }: { kind: KeyKind; name: string; origins?: readonly string[] },
) {
  const key = makeKey(kind, mode, random)
  return { key, row: { id: newId(), kind, name, origins, digest: digestKey(pepper, key), shown: showKey(kind, key) } }
}
