import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'
import type { RawLog } from './block.ts'

/** Each purpose has keys of its own. */
export const lanes = ['sweep', 'payout', 'voucher'] as const
export type Lane = (typeof lanes)[number]

export type NewSend = {
  readonly id: string
  readonly networkId: string
  readonly lane: Lane
  /** The purpose. Each reference is sent once only. */
  readonly reference: string
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly askedAt: Date
  /** The address that must sign it. Undefined: the first key of the lane. */
  readonly from?: string | undefined
  /** It is refused if it needs more gas. */
  readonly gasMax?: bigint | undefined
}

/** Queues a send, which becomes due when the transaction commits. Returns false if its reference is already queued. */
export async function queueSend(tx: Tx, send: NewSend): Promise<boolean> {
  const { id, networkId, lane, reference, to, data, value, askedAt, from, gasMax } = send
  return executeOne(tx)`
    insert into chain_sends (id, network_id, lane, reference, to_address, data, value, asked_at, from_address, gas_max)
      values (${id}, ${networkId}, ${lane}, ${reference}, ${to.toLowerCase()}, ${data}, ${value}, ${askedAt},
        ${from?.toLowerCase()}, ${gasMax})
      on conflict (reference) do nothing`
}

export type Send = Omit<NewSend, 'from' | 'gasMax'> & {
  readonly network: string
  readonly from: string | null
  readonly gasMax: bigint | null
}
/** A send with its sender, nonce and gas limit. */
export type SignedSend = Send & {
  readonly sender: string
  readonly nonce: bigint
  readonly gas: bigint
  readonly endedAt: Date | null
}
/** A signed transaction of a send. The newest has the highest fee. */
export type Version = {
  readonly hash: string
  readonly raw: string
  readonly maxFee: bigint
  readonly maxTip: bigint
  readonly signedAt: Date
}

const sends =
  raw(`select s.id, s.network_id as "networkId", n.abbreviation as network, s.lane, s.from_address as "from",
    s.gas_max as "gasMax", s.reference, s.to_address as "to", s.data, s.value,
    s.asked_at as "askedAt", s.sender, s.nonce, s.gas, s.ended_at as "endedAt" from chain_sends s join networks n on n.id = s.network_id`)

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
  return select<Send>(db)`
    ${sends} where s.lane = ${lane} and s.nonce is null and s.ended_at is null and n.abbreviation = any(${networks}) and n.is_active and s.id <> all(${resting}::uuid[])
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

export async function isLane(db: Db, networkId: string, sender: string): Promise<boolean> {
  return executeOne(db)`select from chain_lanes where network_id = ${networkId} and sender = ${sender}`
}

export async function openLane(db: Db, networkId: string, sender: string, next: bigint): Promise<void> {
  await execute(db)`
    insert into chain_lanes (network_id, sender, next_nonce) values (${networkId}, ${sender}, ${next})
      on conflict do nothing`
}

/** Takes the sender's next nonce, locked until commit, so that no nonce is used twice or skipped. */
export async function takeNonce(tx: Tx, networkId: string, sender: string): Promise<bigint> {
  const nonce = await selectValue<bigint>(tx)`
    update chain_lanes set next_nonce = next_nonce + 1 where network_id = ${networkId} and sender = ${sender}
      returning next_nonce - 1`
  if (nonce === undefined) throw new Error('A sender has no lane.')
  return nonce
}

/** A payment by a sender that no block has yet. */
export type Unmined = { readonly to: string; readonly data: string; readonly value: bigint }

/** The signed and unfinished sends of a sender from this nonce on. */
export async function listUnmined(db: Db, networkId: string, sender: string, nonce: bigint): Promise<Unmined[]> {
  return select<Unmined>(db)`
    select to_address as "to", data, value from chain_sends
      where network_id = ${networkId} and sender = ${sender} and nonce >= ${nonce} and ended_at is null`
}

export async function markSigned(tx: Tx, id: string, sender: string, nonce: bigint, gas: bigint): Promise<void> {
  await execute(tx)`update chain_sends set sender = ${sender}, nonce = ${nonce}, gas = ${gas} where id = ${id}`
}

export async function saveVersion(tx: Tx, sendId: string, version: Version): Promise<void> {
  const { hash, raw: bytes, maxFee, maxTip, signedAt } = version
  await execute(tx)`
    insert into chain_signed (hash, send_id, raw, max_fee, max_tip, signed_at)
      values (${hash}, ${sendId}, ${bytes}, ${maxFee}, ${maxTip}, ${signedAt})`
}

/** Newest first. */
export async function listVersions(db: Db, sendId: string): Promise<[Version, ...Version[]]> {
  return (await select<Version>(db)`
    select hash, raw, max_fee as "maxFee", max_tip as "maxTip", signed_at as "signedAt" from chain_signed
      where send_id = ${sendId} order by max_fee desc`) as [Version, ...Version[]]
}

export async function listSenders(db: Db, networkId: string): Promise<string[]> {
  const rows = await select<{ sender: string }>(db)`select sender from chain_lanes where network_id = ${networkId}`
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
  return select<SignedSend>(db)`
    ${sends} where s.network_id = ${networkId} and s.sender = ${sender} and s.nonce >= ${nonce}
      order by s.ended_at is not null, s.nonce limit ${limit}`
}

/** Unfinished sends below this nonce. */
export async function listOpen(db: Db, networkId: string, sender: string, before: bigint): Promise<SignedSend[]> {
  return select<SignedSend>(db)`
    ${sends} where s.network_id = ${networkId} and s.sender = ${sender} and s.nonce < ${before} and s.ended_at is null
      order by s.nonce`
}

/** Locks a send until the transaction ends. Undefined if it has finished. */
export async function lockOpen(tx: Tx, id: string): Promise<SignedSend | undefined> {
  await execute(tx)`select from chain_sends where id = ${id} for no key update`
  return selectOne<SignedSend>(tx)`${sends} where s.id = ${id} and s.ended_at is null`
}

/** Records that the nonce is used but no node has a receipt. Returns since when. */
export async function markMissed(db: Db, id: string, at: Date): Promise<Date> {
  const since = await selectValue<Date>(db)`
    update chain_sends set missed_at = coalesce(missed_at, ${at}) where id = ${id} returning missed_at`
  return since ?? at
}

/** The result of a send, with its fee in wei. A displaced send was never mined, a refused one never signed. */
export type Ending = {
  readonly outcome: 'done' | 'reverted' | 'displaced' | 'refused'
  readonly txHash: string | null
  readonly blockNumber: bigint | null
  readonly fee: bigint
  readonly logs: readonly RawLog[]
}

export async function markEnded(tx: Tx, id: string, { outcome, txHash, fee }: Ending, at: Date): Promise<void> {
  await execute(tx)`
    update chain_sends set ended_at = ${at}, outcome = ${outcome}, tx_hash = ${txHash}, fee = ${fee} where id = ${id}`
}
