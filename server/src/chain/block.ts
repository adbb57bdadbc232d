import { keccak256 } from 'viem'
import type { Rpc } from './rpc.ts'

/** Something that was paid to an address in a block. */
export type Movement = {
  readonly txHash: string
  readonly logIndex: number
  readonly to: string
  readonly token: string
  readonly amount: bigint
}
export type Header = { readonly number: bigint; readonly hash: string; readonly parent: string; readonly minedAt: Date }
/** What an address sent to the treasury. */
export type Outgoing = Omit<Movement, 'to'> & { readonly from: string }
export type Block = Header & { readonly movements: readonly Movement[]; readonly outgoing: readonly Outgoing[] }

/** Of a network: who sweeps, and where everything goes. */
type Places = { readonly factory: string; readonly treasury: string }

type RawHeader = { number: string; hash: string; parentHash: string; timestamp: string; logsBloom: string }
type RawBlock = RawHeader & { transactions: { hash: string; to: string | null; value: string }[] }
type RawLog = { address: string; topics: string[]; data: string; logIndex: string }
type Place = { blockHash: string; blockNumber: string }
export type RawReceipt = Place & {
  transactionHash: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
  logs: RawLog[]
}

export const coin = '0x0000000000000000000000000000000000000000'
/** Where coin stands among the logs of a block. */
const coinIndex = -1
export const scannedIndex = -2
/** A node that limits how often it is asked should not notice. */
const atOnce = 16
const sweptTopic = '0x4f1cf3854383f11622e4ed71a161c9479db90f023aab282a515142bc5c4b4b6e'
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const toHex = (number: bigint): string => `0x${number.toString(16)}`

function toHeader({ number, hash, parentHash, timestamp }: RawHeader): Header {
  return { number: BigInt(number), hash, parent: parentHash, minedAt: new Date(Number(timestamp) * 1_000) }
}

/** Nothing where there is none yet. */
export async function readHeader(rpc: Rpc, number: bigint): Promise<Header | undefined> {
  const raw = await rpc.ask<RawHeader | null>('eth_getBlockByNumber', [toHex(number), false])
  return raw === null ? undefined : toHeader(raw)
}

/** The same by two nodes, also of what they call final. */
export async function readHeaders(rpc: Rpc, which: bigint | 'finalized'): Promise<Header[]> {
  const name = which === 'finalized' ? which : toHex(which)
  const raws = await rpc.askTwo<RawHeader | null>('eth_getBlockByNumber', [name, false])
  return raws.flatMap((raw) => (raw === null ? [] : [toHeader(raw)]))
}

/**
 * The next block, or several at once as far as they are known to exist: one by one, a day of a fast network would take hours. Those
 * that cannot be read now are read again, as long as the first can.
 */
export async function readBlocks(rpc: Rpc, from: bigint, known: bigint, places: Places): Promise<Block[]> {
  const length = Math.min(atOnce, Math.max(1, Number(known - from) + 1))
  const asked = Array.from({ length }, (_, i) => readBlock(rpc, from + BigInt(i), known, places))
  const read = await Promise.allSettled(asked)
  if (read[0]?.status === 'rejected') throw read[0].reason
  return read.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))
}

/**
 * Two questions, however many addresses are ours. An answer without some of the receipts or logs is no answer: they are counted, and
 * the header's bloom says which logs there have to be. Nor is another block, or none where there is one.
 */
async function readBlock(rpc: Rpc, number: bigint, known: bigint, places: Places): Promise<Block | undefined> {
  // One without transactions has no logs either.
  const isIt = (told: RawBlock | null): boolean =>
    told === null
      ? number > known
      : BigInt(told.number) === number && (told.transactions.length > 0 || BigInt(told.logsBloom) === 0n)
  const raw = await rpc.ask('eth_getBlockByNumber', [toHex(number), true], isIt)
  if (raw === null) return undefined
  const { transactions } = raw
  const receipts =
    transactions.length === 0
      ? []
      : await rpc.ask<RawReceipt[] | null>('eth_getBlockReceipts', [raw.hash], (told) => areWhole(raw, told))
  const all = receipts ?? []
  return { ...toHeader(raw), movements: movementsOf(raw, all), outgoing: outgoingOf(all, places) }
}

export function outgoingOf(receipts: readonly RawReceipt[], places: Places): Outgoing[] {
  return receipts.flatMap(({ logs, transactionHash }) =>
    logs.flatMap((log) => [
      ...toOutgoingCoin(transactionHash, log, places),
      ...toOutgoingTokens(transactionHash, log, places),
    ]),
  )
}

function areWhole({ hash, transactions, logsBloom }: RawBlock, receipts: readonly RawReceipt[] | null): boolean {
  if (receipts?.length !== transactions.length) return false
  const areOfBlock = receipts.every(
    (receipt, i) => receipt.blockHash === hash && receipt.transactionHash === transactions[i]?.hash,
  )
  return areOfBlock && bloomOf(receipts.flatMap(({ logs }) => logs)) === BigInt(logsBloom)
}

/** Three bits of 2,048 for each address and topic, by the hash of it. */
function bloomOf(logs: readonly RawLog[]): bigint {
  const words = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))
  let bloom = 0n
  for (const word of words) {
    const bytes = keccak256(word as `0x${string}`, 'bytes')
    for (const i of [0, 2, 4]) bloom |= 1n << BigInt((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)) & 2047)
  }
  return bloom
}

function movementsOf({ transactions }: RawBlock, receipts: readonly RawReceipt[]): Movement[] {
  return transactions.flatMap(({ hash: txHash, to, value }, i) => {
    const receipt = receipts[i]
    // What was reverted moved nothing.
    if (receipt?.status !== '0x1') return []
    const coins =
      to === null || BigInt(value) === 0n
        ? []
        : [{ txHash, logIndex: coinIndex, to: to.toLowerCase(), token: coin, amount: BigInt(value) }]
    return [...coins, ...receipt.logs.flatMap((log) => toMovement(txHash, log))]
  })
}

type Transfer = Omit<Movement, 'txHash'> & { readonly from: string }

/** A transfer of an ERC-20 token. One of a token of another kind names its id in a fourth topic. */
export function transferOf({ address, topics, data, logIndex }: RawLog): Transfer | undefined {
  const [what, from, to] = topics
  if (what !== transferTopic || topics.length !== 3 || from === undefined || to === undefined || data.length !== 66)
    return undefined
  return {
    logIndex: Number(logIndex),
    from: `0x${from.slice(26)}`,
    to: `0x${to.slice(26)}`,
    token: address.toLowerCase(),
    amount: BigInt(data),
  }
}

function toMovement(txHash: string, log: RawLog): Movement[] {
  const transfer = transferOf(log)
  if (transfer === undefined || transfer.amount === 0n) return []
  const { logIndex, to, token, amount } = transfer
  return [{ txHash, logIndex, to, token, amount }]
}

/** No log tells of coin that moves: the factory's event does, whoever asked for the sweep. */
function toOutgoingCoin(txHash: string, log: RawLog, { factory }: Places): Outgoing[] {
  const { address, topics, data, logIndex } = log
  const [what, , , token] = topics
  if (what !== sweptTopic || address.toLowerCase() !== factory || token === undefined) return []
  const [from, amount] = [`0x${data.slice(26, 66)}`, BigInt(`0x${data.slice(66)}`)]
  const isCoin = `0x${token.slice(26)}` === coin
  return isCoin && amount > 0n ? [{ txHash, logIndex: Number(logIndex), from, token: coin, amount }] : []
}

/**
 * Of tokens, what the treasury received. The factory compares an address before and after, and a hostile token of the same sweep can
 * refill it in between.
 */
function toOutgoingTokens(txHash: string, log: RawLog, { treasury }: Places): Outgoing[] {
  const transfer = transferOf(log)
  if (transfer?.to !== treasury || transfer.amount === 0n) return []
  const { logIndex, from, token, amount } = transfer
  return [{ txHash, logIndex, from, token, amount }]
}
