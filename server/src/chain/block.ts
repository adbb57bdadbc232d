import { keccak256 } from 'viem'
import type { Rpc } from './rpc.ts'
import { type VaultLog, vaultLogsOf } from './vault-log.ts'

/** A transfer to an address in a block. */
export type Movement = {
  readonly txHash: string
  readonly logIndex: number
  readonly to: string
  readonly token: string
  readonly amount: bigint
}
export type Header = { readonly number: bigint; readonly hash: string; readonly parent: string; readonly minedAt: Date }
/** A transfer from an address to the treasury. */
export type Outgoing = Omit<Movement, 'to'> & { readonly from: string }
export type Block = Header & {
  readonly movements: readonly Movement[]
  readonly outgoing: readonly Outgoing[]
  readonly vaultLogs: readonly VaultLog[]
}

/** The contract that sweeps on a network, and the treasury. */
type SweepContracts = { readonly factory: string; readonly treasury: string }
/** The contracts whose logs are read. */
export type Contracts = SweepContracts & { readonly vaults: readonly string[] }

type RawHeader = { number: string; hash: string; parentHash: string; timestamp: string; logsBloom: string }
type RawBlock = RawHeader & { transactions: { hash: string; to: string | null; value: string }[] }
export type RawLog = { address: string; topics: string[]; data: string; logIndex: string }
type InBlock = { blockHash: string; blockNumber: string }
export type RawReceipt = InBlock & {
  transactionHash: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
  logs: RawLog[]
}

export const coin = '0x0000000000000000000000000000000000000000'
/** Stands for the log index of a coin transfer, which has no log. */
const coinIndex = -1
/** Stands for the log index of coin that was found by its balance. */
export const scannedIndex = -2
/** Low enough for nodes with a rate limit. */
const atOnce = 16
const sweptTopic = '0x4f1cf3854383f11622e4ed71a161c9479db90f023aab282a515142bc5c4b4b6e'
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const toHex = (number: bigint): string => `0x${number.toString(16)}`

function toHeader({ number, hash, parentHash, timestamp }: RawHeader): Header {
  return { number: BigInt(number), hash, parent: parentHash, minedAt: new Date(Number(timestamp) * 1_000) }
}

/** The header of a block, or undefined if there is no such block yet. */
export async function readHeader(rpc: Rpc, number: bigint): Promise<Header | undefined> {
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [toHex(number), false])
  return raw === null ? undefined : toHeader(raw)
}

/** The header of a block, or of the latest final block, as two nodes report it. */
export async function readHeaders(rpc: Rpc, which: bigint | 'finalized'): Promise<Header[]> {
  const name = which === 'finalized' ? which : toHex(which)
  const raws = await rpc.callTwo<RawHeader | null>('eth_getBlockByNumber', [name, false])
  return raws.flatMap((raw) => (raw === null ? [] : [toHeader(raw)]))
}

/**
 * Reads the next block, or several concurrently up to the newest known one: a day of a fast network would take hours
 * one by one. Throws only if the first block fails; later ones that fail are read again next time.
 */
export async function readBlocks(rpc: Rpc, from: bigint, known: bigint, contracts: Contracts): Promise<Block[]> {
  const length = Math.min(atOnce, Math.max(1, Number(known - from) + 1))
  const reads = Array.from({ length }, (_, i) => readBlock(rpc, from + BigInt(i), known, contracts))
  const read = await Promise.allSettled(reads)
  if (read[0]?.status === 'rejected') throw read[0].reason
  return read.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []))
}

/**
 * Reads a block with two calls, for any number of deposit addresses. Rejects responses with missing receipts or logs,
 * which it checks by count and by the header's bloom filter, and responses with another block or without a known one.
 */
async function readBlock(rpc: Rpc, number: bigint, known: bigint, contracts: Contracts): Promise<Block | undefined> {
  // A block without transactions has no logs.
  const isComplete = (block: RawBlock | null): boolean =>
    block === null
      ? number > known
      : BigInt(block.number) === number && (block.transactions.length > 0 || BigInt(block.logsBloom) === 0n)
  const raw = await rpc.call('eth_getBlockByNumber', [toHex(number), true], isComplete)
  if (raw === null) return undefined
  const { transactions } = raw
  const receipts =
    transactions.length === 0
      ? []
      : await rpc.call<RawReceipt[] | null>('eth_getBlockReceipts', [raw.hash], (found) => areComplete(raw, found))
  const all = receipts ?? []
  return {
    ...toHeader(raw),
    movements: movementsOf(raw, all),
    outgoing: outgoingOf(all, contracts),
    vaultLogs: vaultLogsOf(all, contracts.vaults),
  }
}

export function outgoingOf(receipts: readonly RawReceipt[], contracts: SweepContracts): Outgoing[] {
  return receipts.flatMap(({ logs, transactionHash }) =>
    logs.flatMap((log) => [
      ...toOutgoingCoin(transactionHash, log, contracts),
      ...toOutgoingTokens(transactionHash, log, contracts),
    ]),
  )
}

function areComplete({ hash, transactions, logsBloom }: RawBlock, receipts: readonly RawReceipt[] | null): boolean {
  if (receipts?.length !== transactions.length) return false
  const areOfBlock = receipts.every(
    (receipt, i) => receipt.blockHash === hash && receipt.transactionHash === transactions[i]?.hash,
  )
  return areOfBlock && bloomOf(receipts.flatMap(({ logs }) => logs)) === BigInt(logsBloom)
}

/** The bloom filter of logs: 3 of 2,048 bits for the hash of each address and topic. */
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
    // A reverted transaction moves nothing.
    if (receipt?.status !== '0x1') return []
    const coins =
      to === null || BigInt(value) === 0n
        ? []
        : [{ txHash, logIndex: coinIndex, to: to.toLowerCase(), token: coin, amount: BigInt(value) }]
    return [...coins, ...receipt.logs.flatMap((log) => toMovement(txHash, log))]
  })
}

type Transfer = Omit<Movement, 'txHash'> & { readonly from: string }

/** Reads a transfer of an ERC-20 token. Transfers of NFTs have a fourth topic and are ignored. */
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

/** Coin transfers have no logs. The factory emits an event for every sweep, including those by strangers. */
function toOutgoingCoin(txHash: string, log: RawLog, { factory }: SweepContracts): Outgoing[] {
  const { address, topics, data, logIndex } = log
  const [what, , , token] = topics
  if (what !== sweptTopic || address.toLowerCase() !== factory || token === undefined) return []
  const [from, amount] = [`0x${data.slice(26, 66)}`, BigInt(`0x${data.slice(66)}`)]
  const isCoin = `0x${token.slice(26)}` === coin
  return isCoin && amount > 0n ? [{ txHash, logIndex: Number(logIndex), from, token: coin, amount }] : []
}

/**
 * For tokens, counts what the treasury received. The factory's event compares balances before and after, and a
 * hostile token in the same sweep could refill the address in between.
 */
function toOutgoingTokens(txHash: string, log: RawLog, { treasury }: SweepContracts): Outgoing[] {
  const transfer = transferOf(log)
  if (transfer?.to !== treasury || transfer.amount === 0n) return []
  const { logIndex, from, token, amount } = transfer
  return [{ txHash, logIndex, from, token, amount }]
}
