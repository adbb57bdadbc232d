// Thousands of blocks on top of a node's head. They are empty, except for a few that contain a payment in ether.
import { createHash } from 'node:crypto'

type Head = { readonly number: string; readonly hash: string; readonly timestamp: string }
type Payment = { readonly to: string; readonly value: bigint }
type MadeUpBlocks = {
  readonly newest: number
  readonly final: number
  /** The result of a call about one of these blocks, undefined for other calls. */
  readonly respond: (method: string, params: readonly unknown[]) => unknown
}

// Some rollups are as fast. At a lower rate, payment requests would expire before the last block.
const blocksPerSecond = 200
const depthOfFinal = 2
const noLogs = `0x${'0'.repeat(512)}`
const toHex = (number: number | bigint): string => `0x${number.toString(16)}`
const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`

/** `payments` maps a block's distance from the head to its payment. */
export function makeUpBlocks(head: Head, count: number, payments: ReadonlyMap<number, Payment>): MadeUpBlocks {
  const base = Number(head.number)
  const newest = base + count
  const final = newest - depthOfFinal
  const blockHash = (above: number): string => (above === 0 ? head.hash : hashOf(`block ${above} on ${head.hash}`))
  const paid = [...payments].map(([above, { to, value }]) => {
    const hash = hashOf(`payment in ${blockHash(above)}`)
    const place = { blockHash: blockHash(above), blockNumber: toHex(base + above), transactionIndex: '0x0' }
    const transaction = { ...place, hash, from: `0x${'1'.repeat(40)}`, to, value: toHex(value), input: '0x' }
    return { ...place, transaction, receipt: { ...place, transactionHash: hash, status: '0x1', logs: [] } }
  })
  const inBlock = new Map(paid.map((each) => [each.blockHash, each]))
  const byHash = new Map(paid.map((each) => [each.transaction.hash, each]))

  function blockAt(number: number): object | null | undefined {
    const above = number - base
    if (above > count) return null
    // The node itself knows the blocks up to its head.
    if (above <= 0) return undefined
    const hash = blockHash(above)
    const timestamp = toHex(Number(head.timestamp) + Math.ceil(above / blocksPerSecond))
    const transactions = [inBlock.get(hash)?.transaction].filter((each) => each !== undefined)
    return { number: toHex(number), hash, parentHash: blockHash(above - 1), timestamp, logsBloom: noLogs, transactions }
  }
  return {
    newest,
    final,
    respond: (method, [which]) => {
      if (method === 'eth_blockNumber') return toHex(newest)
      if (method === 'eth_getBlockByNumber' && which === 'latest') return blockAt(newest)
      if (method === 'eth_getBlockByNumber' && which === 'finalized') return blockAt(final)
      if (method === 'eth_getBlockByNumber') return blockAt(Number(which))
      const hash = String(which)
      if (method === 'eth_getBlockReceipts' && inBlock.has(hash)) return [inBlock.get(hash)?.receipt]
      if (method === 'eth_getTransactionByHash') return byHash.get(hash)?.transaction
      if (method === 'eth_getTransactionReceipt') return byHash.get(hash)?.receipt
      return undefined
    },
  }
}
