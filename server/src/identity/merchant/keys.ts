import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { Random } from '../../base/random.ts'
import type { Mode } from '../../base/mode.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { merchantError } from './errors.ts'
import { merchantEvent } from './events.ts'
import type { KeyKind } from './key-kind.ts'
import { digestKey, makeKey, showKey } from './key.ts'
import { notifyMerchant } from './notify.ts'
import { countKeys, endKey, insertKey, type KeyFacts, type NewKey, selectKeys } from './store.ts'

export type KeyTools = PostTools & { readonly random: Random; readonly pepper: Buffer }
export type Environment = { readonly environmentId: string; readonly mode: Mode }
export type MadeKey = {
  readonly id: string
  /** Returned only once. */
  readonly key: string
}

// As many as the list shows, so that every key that works can be found and revoked.
const keysMax = 50
const overlapMs = 24 * 60 * 60 * 1_000

export async function createKey(
  tools: KeyTools,
  environment: Environment,
  input: { kind: KeyKind; name: string; origins?: readonly string[] },
): Promise<MadeKey> {
  const { environmentId, mode } = environment
  const made = make(tools, mode, input)
  await withEnvironment(tools.pool, environmentId, async (tx) => {
    if ((await countKeys(tx, tools.clock())) >= keysMax) throw merchantError('KEYS_FULL')
    await insertKey(tx, environmentId, made.row, tools.clock())
    await publishCreated(tx, tools, environmentId, made.row)
    await notifyMerchant(tx, tools, environment, { what: 'key_created', name: input.name, aboutId: made.row.id })
  })
  return { id: made.row.id, key: made.key }
}

/** Creates a key like the old one, which keeps working for a day. */
export async function rotateKey(
  tools: KeyTools,
  { environmentId, mode }: Environment,
  keyId: string,
): Promise<MadeKey> {
  return withEnvironment(tools.pool, environmentId, async (tx) => {
    const now = tools.clock()
    const old = await endKey(tx, keyId, new Date(now.getTime() + overlapMs), now)
    if (old === undefined) throw merchantError('KEY_NOT_FOUND')
    if (old.hadEnded) throw merchantError('KEY_ENDED')
    if (old.wasEnding) throw merchantError('KEY_ROTATED')
    const made = make(tools, mode, old)
    await insertKey(tx, environmentId, made.row, now)
    await publishCreated(tx, tools, environmentId, made.row)
    const to = { environmentId, about: { id: keyId, sequence: sequences.rotated } }
    const data = { keyId, kind: old.kind, name: old.name, replacedBy: made.row.id }
    await publishEvents(tx, [merchantEvent('merchant.key_rotated', to, data)], tools)
    await notifyMerchant(tx, tools, { environmentId, mode }, { what: 'key_rotated', name: old.name, aboutId: keyId })
    return { id: made.row.id, key: made.key }
  })
}

// The sequence numbers of a key's events. A revoked key cannot be rotated.
const sequences = { created: 1, rotated: 2, revoked: 3 }

type KeyRow = { readonly id: string; readonly kind: KeyKind; readonly name: string }

async function publishCreated(
  tx: Tx,
  tools: KeyTools,
  environmentId: string,
  { id, kind, name }: KeyRow,
): Promise<void> {
  const to = { environmentId, about: { id, sequence: sequences.created } }
  await publishEvents(tx, [merchantEvent('merchant.key_created', to, { keyId: id, kind, name })], tools)
}

/** Revokes a key immediately. Servers that have it cached follow within seconds. */
export async function revokeKey(tools: KeyTools, { environmentId, mode }: Environment, keyId: string): Promise<void> {
  await withEnvironment(tools.pool, environmentId, async (tx) => {
    const now = tools.clock()
    const ended = await endKey(tx, keyId, now, now)
    if (ended === undefined) throw merchantError('KEY_NOT_FOUND')
    if (ended.hadEnded) return
    const { kind, name } = ended
    const to = { environmentId, about: { id: keyId, sequence: sequences.revoked } }
    await publishEvents(tx, [merchantEvent('merchant.key_revoked', to, { keyId, kind, name })], tools)
    await notifyMerchant(tx, tools, { environmentId, mode }, { what: 'key_revoked', name, aboutId: keyId })
  })
}

/** The keys that work come first, newest first. */
export async function listKeys(
  { pool, clock }: Pick<KeyTools, 'pool' | 'clock'>,
  { environmentId }: Pick<Environment, 'environmentId'>,
): Promise<KeyFacts[]> {
  return withEnvironment(pool, environmentId, (tx) => selectKeys(tx, clock()))
}

function make(
  { random, pepper, newId }: KeyTools,
  mode: Mode,
  { kind, name, origins = [] }: { kind: KeyKind; name: string; origins?: readonly string[] },
): { key: string; row: NewKey } {
  const key = makeKey(kind, mode, random)
  return { key, row: { id: newId(), kind, name, origins, digest: digestKey(pepper, key), shown: showKey(kind, key) } }
}
