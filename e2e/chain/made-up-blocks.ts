// More blocks above a node's newest than it would make in an hour. They are empty, but for a few that pay coin.
import { createHash } from 'node:crypto'

type Head = { readonly number: string; readonly hash: string; readonly timestamp: string }
type Payment = { readonly to: string; readonly value: bigint }

// As some rollups do, so that nobody's hour to pay is over before the last of them.
const blocksPerSecond = 200
const depthOfFinal = 2
const noLogs = `0x${'0'.repeat(512)}`
const toHex = (number: number | bigint): string => `0x${number.toString(16)}`
const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`

/** `payments` names the blocks by how far above the head they are. What is not about these blocks is answered with undefined. */
export function makeUpBlocks(head: Head, count: number, payments: ReadonlyMap<number, Payment>) {
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
    // Of what is not made up the node knows more.
    if (above <= 0) return undefined
    const hash = blockHash(above)
    const timestamp = toHex(Number(head.timestamp) + Math.ceil(above / blocksPerSecond))
    const transactions = [inBlock.get(hash)?.transaction].filter((each) => each !== undefined)
    return { number: toHex(number), hash, parentHash: blockHash(above - 1), timestamp, logsBloom: noLogs, transactions }
  }
  return {
    newest,
    final,
    answer: (method: string, [which]: readonly unknown[]): unknown => {
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
