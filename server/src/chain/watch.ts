import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool } from '../base/db.ts'
import type { NewId } from '../base/id.ts'
import type { Log } from '../base/log.ts'
import type { Leases } from '../base/lease.ts'
import { type Block, type Header, outgoingOf, type RawReceipt, readBlocks, readHeader, readHeaders } from './block.ts'
import { chainError } from './errors.ts'
import { lowest, type Rpc } from './rpc.ts'
import {
  addBlock,
  beginAt,
  type Chain,
  findHeader,
  findOurs,
  findTip,
  forgetBlocks,
  lockChain,
  rollBack,
  saveFinality,
  savePayments,
  saveSweeps,
} from './store.ts'
import { findTrustedChain } from './trust.ts'
import { keepOurs, listVaults, rollBackVaultLogs, saveVaultLogs } from './vault-store.ts'

export type WatchTools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly newId: NewId
  readonly leases: Leases
  readonly log: Log
}

const blocksBelowFinal = 1_000n
const finalityEveryMs = 1_000

/** Reads the blocks and the finality of a network, in one process at a time. Returns whether there was a new block. */
export function createWatch(tools: WatchTools, network: string, rpc: Rpc): () => Promise<boolean> {
  const name = `chain/${network}`
  let nextFinalityMs = 0
  let final = 0n
  return async () => {
    const chain = await findTrustedChain(tools.pool, network, rpc.nodes)
    if (chain === undefined || !(await tools.leases.claim(name))) return false
    try {
      const isNew = await readNext(tools, chain, rpc, final).catch((error: unknown) => {
        // The final block may be gone, too.
        final = 0n
        throw error
      })
      const nowMs = tools.clock().getTime()
      if (isNew && nowMs < nextFinalityMs) return true
      nextFinalityMs = nowMs + finalityEveryMs
      final = await watchFinality(tools, chain, rpc)
      return isNew
    } finally {
      await tools.leases.release(name)
    }
  }
}

async function readNext(tools: WatchTools, chain: Chain, rpc: Rpc, final: bigint): Promise<boolean> {
  const { pool, clock, newId } = tools
  const tip = await findTip(pool, chain.id)
  if (tip === undefined) {
    await refuseOtherChain(chain, rpc)
    // Begin at a final block, so that a rollback never goes below the first block.
    const first = await readHeader(rpc, await readFinalNumber(chain, rpc))
    if (first !== undefined) await beginAt(pool, chain.id, first)
    return first !== undefined
  }
  const vaults = await listVaults(pool, chain.id)
  const blocks = await readBlocks(rpc, tip.number + 1n, final, { ...chain, vaults })
  if (blocks[0] === undefined) return false
  if (blocks[0].parent !== tip.hash) return rollBackToFork(tools, chain, rpc, tip)
  const touched = blocks.flatMap(({ movements, outgoing }) => [
    ...movements.map(({ to }) => to),
    ...outgoing.map(({ from }) => from),
  ])
  const ours = await findOurs(pool, chain.id, [...new Set(touched)])
  const owners = new Map(ours.map(({ address, ownerId }) => [address, ownerId]))
  const owned = <T extends object>(all: readonly T[], addressOf: (one: T) => string) =>
    all.flatMap((one) => {
      const ownerId = owners.get(addressOf(one))
      return ownerId === undefined ? [] : [{ ...one, id: newId(), ownerId }]
    })
  for (const block of blocks)
    for (const txHash of new Set(owned(block.outgoing, ({ from }) => from).map((swept) => swept.txHash)))
      await confirmSweep(rpc, chain, block, txHash)
  // One transaction for all blocks and their payments: 16 transactions took 18 ms, one takes 7.
  await inTransaction(pool, async (tx) => {
    await lockChain(tx, chain.id)
    for (const block of blocks) {
      if (!(await addBlock(tx, chain.id, block))) continue
      await savePayments(
        tx,
        chain.id,
        block,
        owned(block.movements, ({ to }) => to),
        clock(),
      )
      await saveSweeps(
        tx,
        chain.id,
        block.number,
        owned(block.outgoing, ({ from }) => from),
      )
      // The creation of a voucher is queued, with its hash, before any block can have it.
      const logs = await keepOurs(tx, chain.id, block.vaultLogs)
      const named = logs.map((log) => ({ ...log, id: newId() }))
      await saveVaultLogs(tx, chain.id, block, named, clock())
    }
  })
  return true
}

/** Trusting one node's outgoing transfer would credit the remaining balance twice. */
async function confirmSweep(rpc: Rpc, chain: Chain, { outgoing }: Block, txHash: string): Promise<void> {
  const factsOf = (all: Block['outgoing']): string =>
    all.map(({ logIndex, from, token, amount }) => [logIndex, from, token, amount].join(' ')).join()
  const ours = factsOf(outgoing.filter((each) => each.txHash === txHash))
  const receipts = await rpc.callTwo<RawReceipt | null>('eth_getTransactionReceipt', [txHash])
  if (receipts.some((receipt) => receipt === null || factsOf(outgoingOf([receipt], chain)) !== ours))
    throw chainError('CHAIN_DISAGREES', { txHash })
}

/** Refuses nodes of another network, where our addresses mean nothing. */
async function refuseOtherChain({ chainId }: Chain, rpc: Rpc): Promise<void> {
  const reported = await rpc.call<string>('eth_chainId', [])
  if (BigInt(reported) !== chainId) throw chainError('CHAIN_DISAGREES', { chainId: reported })
}

/**
 * Rolls back to the newest block that the network still has. Returns false if that is the tip: a node may report a
 * wrong parent.
 */
async function rollBackToFork({ pool, clock, log }: WatchTools, chain: Chain, rpc: Rpc, tip: Header): Promise<boolean> {
  let common: Header | undefined = tip
  while (common !== undefined) {
    const theirs = await readHeader(rpc, common.number)
    if (theirs?.hash === common.hash) break
    common = await findHeader(pool, chain.id, common.number - 1n)
  }
  if (common === undefined) throw chainError('CHAIN_DISAGREES', { network: chain.abbreviation })
  const { number } = common
  if (number === tip.number) return false
  await inTransaction(pool, async (tx) => {
    await lockChain(tx, chain.id)
    await rollBack(tx, chain.id, number, clock())
    await rollBackVaultLogs(tx, chain.id, number, clock())
  })
  log.warn({ network: chain.abbreviation, from: String(tip.number), to: String(number) }, 'a chain was reorganised')
  return true
}

/**
 * Records the newest final block on which two nodes agree, not beyond the blocks read. If that block or our tip is
 * gone, rolls back here: after the head fell, no new block would trigger it.
 */
async function watchFinality(tools: WatchTools, chain: Chain, rpc: Rpc): Promise<bigint> {
  const { pool, clock } = tools
  const tip = await findTip(pool, chain.id)
  if (tip === undefined) return 0n
  const final = await readFinalNumber(chain, rpc)
  const number = final < tip.number ? final : tip.number
  const ours = await findHeader(pool, chain.id, number)
  if (ours === undefined) return final
  const theirs = await readHeaders(rpc, number)
  // A node that is behind does not have the block yet.
  if (theirs.length < Math.min(2, rpc.nodes)) return final
  if (theirs.some(({ hash }) => hash !== theirs[0]?.hash))
    throw chainError('CHAIN_DISAGREES', { number: String(number) })
  const head = await readHeader(rpc, tip.number)
  if (theirs[0]?.hash !== ours.hash || head?.hash !== tip.hash) {
    await rollBackToFork(tools, chain, rpc, tip)
    return final
  }
  const gasPrice = BigInt(await rpc.call<string>('eth_gasPrice', []))
  await saveFinality(pool, chain.id, ours, gasPrice, clock())
  await forgetBlocks(pool, chain.id, number - blocksBelowFinal)
  return final
}

/** The number of the latest final block, the lower of two nodes. Throws if a node does not report one. */
async function readFinalNumber({ finalDepth }: Chain, rpc: Rpc): Promise<bigint> {
  if (finalDepth !== null)
    return lowest((await rpc.callTwo<string>('eth_blockNumber', [])).map(BigInt)) - BigInt(finalDepth)
  const finals = await readHeaders(rpc, 'finalized')
  if (finals.length < Math.min(2, rpc.nodes)) throw chainError('CHAIN_DISAGREES', { said: 'finalized' })
  return lowest(finals.map(({ number }) => number))
}
