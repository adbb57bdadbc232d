import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, raw, select, selectOne, selectValue } from '../base/sql.ts'

export type NewSend = {
  readonly id: string
  readonly networkId: string
  /** What it is for. The same is never sent again. */
  readonly reference: string
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly askedAt: Date
}

/** To be sent when the transaction that asks for it is committed. Says no if it was asked for before. */
export async function queueSend(tx: Tx, send: NewSend): Promise<boolean> {
  const { id, networkId, reference, to, data, value, askedAt } = send
  return executeOne(tx)`
    insert into chain_sends (id, network_id, reference, to_address, data, value, asked_at)
      values (${id}, ${networkId}, ${reference}, ${to.toLowerCase()}, ${data}, ${value}, ${askedAt})
      on conflict (reference) do nothing`
}

export type Send = NewSend & { readonly network: string }
/** One that was signed. */
export type SignedSend = Send & {
  readonly sender: string
  readonly nonce: bigint
  readonly gas: bigint
  readonly endedAt: Date | null
}
/** What was signed of it: the newest pays the most. */
export type Version = {
  readonly hash: string
  readonly raw: string
  readonly maxFee: bigint
  readonly maxTip: bigint
  readonly signedAt: Date
}

const sends =
  raw(`select s.id, s.network_id as "networkId", n.abbreviation as network, s.reference, s.to_address as "to", s.data, s.value,
    s.asked_at as "askedAt", s.sender, s.nonce, s.gas, s.ended_at as "endedAt" from chain_sends s join networks n on n.id = s.network_id`)

/** Of networks that are offered, in the order in which they were asked for, as long as fewer than so many of their network are under way. */
export async function listUnsigned(
  db: Db,
  networks: readonly string[],
  resting: readonly string[],
  limit: number,
  underWayMax: number,
): Promise<Send[]> {
  return select<Send>(db)`
    ${sends} where s.nonce is null and n.abbreviation = any(${networks}) and n.is_active and s.id <> all(${resting}::uuid[])
      and (select count(*) from chain_sends o where o.network_id = s.network_id and o.nonce is not null
        and o.ended_at is null) < ${underWayMax}
      order by s.id limit ${limit}`
}

/** Locked until the end of the transaction; nothing if somebody else has signed it or is at it. */
export async function lockUnsigned(tx: Tx, id: string): Promise<boolean> {
  return executeOne(tx)`select from chain_sends where id = ${id} and nonce is null for no key update skip locked`
}

export async function isLane(db: Db, networkId: string, sender: string): Promise<boolean> {
  return executeOne(db)`select from chain_lanes where network_id = ${networkId} and sender = ${sender}`
}

export async function openLane(db: Db, networkId: string, sender: string, next: bigint): Promise<void> {
  await execute(db)`
    insert into chain_lanes (network_id, sender, next_nonce) values (${networkId}, ${sender}, ${next})
      on conflict do nothing`
}

/** The next of the sender's, who is locked until the end of the transaction: none is taken twice, and none is left out. */
export async function takeNonce(tx: Tx, networkId: string, sender: string): Promise<bigint> {
  const nonce = await selectValue<bigint>(tx)`
    update chain_lanes set next_nonce = next_nonce + 1 where network_id = ${networkId} and sender = ${sender}
      returning next_nonce - 1`
  if (nonce === undefined) throw new Error('A sender has no lane.')
  return nonce
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

/** The newest first. */
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
 * What a sender has signed from this nonce on, also what had ended: a network that goes back far enough wants it again. What has not comes
 * first: a node that lags for months wants everything again.
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

/** What was signed before this nonce and has not ended. */
export async function listOpen(db: Db, networkId: string, sender: string, before: bigint): Promise<SignedSend[]> {
  return select<SignedSend>(db)`
    ${sends} where s.network_id = ${networkId} and s.sender = ${sender} and s.nonce < ${before} and s.ended_at is null
      order by s.nonce`
}

/** Locked until the end of the transaction; nothing if it has ended. */
export async function lockOpen(tx: Tx, id: string): Promise<SignedSend | undefined> {
  await execute(tx)`select from chain_sends where id = ${id} for no key update`
  return selectOne<SignedSend>(tx)`${sends} where s.id = ${id} and s.ended_at is null`
}

/** Its nonce is used, and nobody has a receipt: since when. */
export async function markMissed(db: Db, id: string, at: Date): Promise<Date> {
  const since = await selectValue<Date>(db)`
    update chain_sends set missed_at = coalesce(missed_at, ${at}) where id = ${id} returning missed_at`
  return since ?? at
}

/** What became of it: `fee` in wei. Of one that was displaced nothing was mined. */
export type Ending = {
  readonly outcome: 'done' | 'reverted' | 'displaced'
  readonly txHash: string | null
  readonly blockNumber: bigint | null
  readonly fee: bigint
}

export async function markEnded(tx: Tx, id: string, { outcome, txHash, fee }: Ending, at: Date): Promise<void> {
  await execute(tx)`
    update chain_sends set ended_at = ${at}, outcome = ${outcome}, tx_hash = ${txHash}, fee = ${fee} where id = ${id}`
}
