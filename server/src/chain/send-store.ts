import type { Db, Tx } from '../base/db.ts'
import { oneOf, orNull, withDefault } from '../base/column-type.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, selectValue, sql } from '../base/sql.ts'
import { defineTable, insertInto, type NewRow } from '../base/table.ts'
import type { RawLog } from './block.ts'

/** Each purpose has keys of its own. */
export const lanes = ['sweep', 'payout', 'voucher'] as const
export type Lane = (typeof lanes)[number]

const outcomes = ['done', 'reverted', 'displaced', 'refused'] as const

/** Transactions that we send, one after the other per sender. */
export const chainSends = defineTable('chain_sends', {
  id: sql.uuid,
  networkId: sql.uuid,
  lane: oneOf(lanes),
  /** The purpose. Each reference is sent once only. */
  reference: sql.text,
  toAddress: sql.text,
  data: sql.text,
  value: sql.numeric,
  askedAt: sql.timestamptz,
  /** The address that must sign it. Null: the first key of the lane. */
  fromAddress: orNull(sql.text),
  /** It is refused if it needs more gas. */
  gasMax: orNull(sql.bigint),
  /** The sender, its nonce and the gas limit are null until it is signed. */
  sender: withDefault(orNull(sql.text)),
  nonce: withDefault(orNull(sql.bigint)),
  gas: withDefault(orNull(sql.bigint)),
  /** Since when its nonce is used but no node has a receipt. */
  missedAt: withDefault(orNull(sql.timestamptz)),
  endedAt: withDefault(orNull(sql.timestamptz)),
  outcome: withDefault(orNull(oneOf(outcomes))),
  txHash: withDefault(orNull(sql.text)),
  /** In wei. */
  fee: withDefault(orNull(sql.numeric)),
})

type Queued = 'id' | 'networkId' | 'lane' | 'reference' | 'data' | 'value' | 'askedAt' | 'gasMax'
export type NewSend = Pick<NewRow<typeof chainSends>, Queued> & {
  readonly to: string
  /** The address that must sign it. Undefined: the first key of the lane. */
  readonly from?: string | undefined
}

/** Queues a send, which becomes due when the transaction commits. Returns false if its reference is already queued. */
export async function queueSend(tx: Tx, send: NewSend): Promise<boolean> {
  const { to, from, ...rest } = send
  const row = { ...rest, toAddress: to.toLowerCase(), fromAddress: from?.toLowerCase() }
  return executeOne(tx)`
    ${insertInto(chainSends, row)}
      on conflict (reference) do nothing`
}

const sendFields = {
  ...chainSends.columns('s', 'id', 'networkId', 'lane', 'gasMax', 'reference', 'data', 'value', 'askedAt'),
  network: sql.text`n.abbreviation`,
  from: chainSends.types.fromAddress`s.from_address`,
  to: chainSends.types.toAddress`s.to_address`,
}
const sendColumns = list(sendFields)
export type Send = RowOf<typeof sendColumns>

const signedColumns = list({
  ...sendFields,
  sender: sql.text`s.sender`,
  nonce: sql.bigint`s.nonce`,
  gas: sql.bigint`s.gas`,
  ...chainSends.columns('s', 'endedAt'),
})
/** A send with its sender, nonce and gas limit. */
export type SignedSend = RowOf<typeof signedColumns>

const fromSends = sql`from chain_sends s join networks n on n.id = s.network_id`

/**
 * Unsigned sends of a lane on active networks that one of these senders can sign, oldest first, while fewer than `unfinishedMax` sends of
 * the lane on their network are unfinished.
 */
export async function listUnsigned(
  db: Db,
  lane: Lane,
  senders: readonly string[],
  networks: readonly string[],
  resting: readonly string[],
  limit: number,
  unfinishedMax: number,
): Promise<Send[]> {
  return select(db)`
    select ${sendColumns} ${fromSends}
      where s.lane = ${lane} and s.nonce is null and s.ended_at is null and n.abbreviation = any(${networks}) and n.is_active and s.id <> all(${resting}::uuid[])
      and (s.from_address is null or s.from_address = any(${senders}))
      and (select count(*) from chain_sends o where o.network_id = s.network_id and o.lane = ${lane} and o.nonce is not null
        and o.ended_at is null) < ${unfinishedMax}
      order by s.id limit ${limit}`
}

/** Locks a send until the transaction ends. Returns false if another worker has signed it or holds its lock. */
export async function lockUnsigned(tx: Tx, id: string): Promise<boolean> {
  return executeOne(tx)`
    select from chain_sends where id = ${id} and nonce is null and ended_at is null for no key update skip locked`
}

/**
 * Ends a send that nobody signed and that is of no use any more. One that another transaction has locked is being signed or ended there.
 */
export async function withdrawSend(tx: Tx, id: string, at: Date): Promise<void> {
  if (await lockUnsigned(tx, id)) await markEnded(tx, id, refusal, at)
}

export async function isRefused(db: Db, id: string): Promise<boolean> {
  return executeOne(db)`select from chain_sends where id = ${id} and outcome = 'refused'`
}

/** The end of a send that nobody signed. */
export const refusal: Ending = { outcome: 'refused', txHash: null, blockNumber: null, fee: 0n, logs: [] }

/** The next nonce of each sender. */
const chainLanes = defineTable('chain_lanes', { networkId: sql.uuid, sender: sql.text, nextNonce: sql.bigint })

export async function isLane(db: Db, networkId: string, sender: string): Promise<boolean> {
  return executeOne(db)`select from chain_lanes where network_id = ${networkId} and sender = ${sender}`
}

export async function openLane(db: Db, networkId: string, sender: string, next: bigint): Promise<void> {
  await execute(db)`${insertInto(chainLanes, { networkId, sender, nextNonce: next })} on conflict do nothing`
}

/** Takes the sender's next nonce, locked until commit, so that no nonce is used twice or skipped. */
export async function takeNonce(tx: Tx, networkId: string, sender: string): Promise<bigint> {
  const nonce = await selectValue(tx)`
    update chain_lanes set next_nonce = next_nonce + 1 where network_id = ${networkId} and sender = ${sender}
      returning ${sql.bigint`next_nonce - 1`}`
  if (nonce === undefined) throw new Error('A sender has no lane.')
  return nonce
}

const unminedColumns = list({ to: sql.text`to_address`, ...chainSends.columns('', 'data', 'value') })
/** A payment by a sender that no block has yet. */
export type Unmined = RowOf<typeof unminedColumns>

/** The signed and unfinished sends of a sender from this nonce on. */
export async function listUnmined(db: Db, networkId: string, sender: string, nonce: bigint): Promise<Unmined[]> {
  return select(db)`
    select ${unminedColumns} from chain_sends
      where network_id = ${networkId} and sender = ${sender} and nonce >= ${nonce} and ended_at is null`
}

export async function markSigned(tx: Tx, id: string, sender: string, nonce: bigint, gas: bigint): Promise<void> {
  await execute(tx)`update chain_sends set sender = ${sender}, nonce = ${nonce}, gas = ${gas} where id = ${id}`
}

/** A signed transaction of a send. The newest has the highest fee. */
const chainSigned = defineTable('chain_signed', {
  hash: sql.text,
  sendId: sql.uuid,
  raw: sql.text,
  maxFee: sql.numeric,
  maxTip: sql.numeric,
  signedAt: sql.timestamptz,
})
const versionColumns = list(chainSigned.columns('', 'hash', 'raw', 'maxFee', 'maxTip', 'signedAt'))
export type Version = RowOf<typeof versionColumns>

export async function saveVersion(tx: Tx, sendId: string, version: Version): Promise<void> {
  await execute(tx)`${insertInto(chainSigned, { ...version, sendId })}`
}

/** Newest first. A signed send has at least one. */
export async function listVersions(db: Db, sendId: string): Promise<[Version, ...Version[]]> {
  const [newest, ...older] = await select(db)`
    select ${versionColumns} from chain_signed
      where send_id = ${sendId} order by max_fee desc`
  if (newest === undefined) throw new Error('A signed send has no transaction.')
  return [newest, ...older]
}

export async function listSenders(db: Db, networkId: string): Promise<string[]> {
  const rows = await select(db)`
    select ${list(chainLanes.columns('', 'sender'))} from chain_lanes where network_id = ${networkId}`
  return rows.map(({ sender }) => sender)
}

/**
 * Sends of a sender from this nonce on. Includes finished ones, since a deep reorganisation needs them again.
 * Unfinished ones come first, since a node that is far behind would need all of them.
 */
export async function listFrom(
  db: Db,
  networkId: string,
  sender: string,
  nonce: bigint,
  limit: number,
): Promise<SignedSend[]> {
  return select(db)`
    select ${signedColumns} ${fromSends}
      where s.network_id = ${networkId} and s.sender = ${sender} and s.nonce >= ${nonce}
      order by s.ended_at is not null, s.nonce limit ${limit}`
}

/** Unfinished sends below this nonce. */
export async function listOpen(db: Db, networkId: string, sender: string, before: bigint): Promise<SignedSend[]> {
  return select(db)`
    select ${signedColumns} ${fromSends}
      where s.network_id = ${networkId} and s.sender = ${sender} and s.nonce < ${before} and s.ended_at is null
      order by s.nonce`
}

/** Locks a send until the transaction ends. Undefined if it has finished. */
export async function lockOpen(tx: Tx, id: string): Promise<SignedSend | undefined> {
  await execute(tx)`select from chain_sends where id = ${id} for no key update`
  return selectOne(tx)`select ${signedColumns} ${fromSends} where s.id = ${id} and s.ended_at is null`
}

/** Records that the nonce is used but no node has a receipt. Returns since when. */
export async function markMissed(db: Db, id: string, at: Date): Promise<Date> {
  const since = await selectValue(db)`
    update chain_sends set missed_at = coalesce(missed_at, ${at}) where id = ${id}
      returning ${sql.timestamptz`missed_at`}`
  return since ?? at
}

/** The result of a send, with its fee in wei. A displaced send was never mined, a refused one never signed. */
export type Ending = {
  readonly outcome: (typeof outcomes)[number]
  readonly txHash: string | null
  readonly blockNumber: bigint | null
  readonly fee: bigint
  readonly logs: readonly RawLog[]
}

export async function markEnded(tx: Tx, id: string, { outcome, txHash, fee }: Ending, at: Date): Promise<void> {
  await execute(tx)`
    update chain_sends set ended_at = ${at}, outcome = ${outcome}, tx_hash = ${txHash}, fee = ${fee} where id = ${id}`
}
