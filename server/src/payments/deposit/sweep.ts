import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { inTransaction, type Tx } from '../../base/db.ts'
import { coin } from '../../chain/block.ts'
import { depositFactoryAbi } from '../../chain/deposit-factory.gen.ts'
import { type Ending, queueSend, type Send } from '../../chain/send-store.ts'
import { type Chain, listChains } from '../../chain/store.ts'
import { listTokens } from '../../catalogue/currency/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { BookTools } from './book.ts'
import {
  countRepeat,
  listMovedTokens,
  listTaken,
  lockWanted,
  markSwept,
  markTaken,
  sumHeld,
  type Taken,
} from './sweep-store.ts'

// Sweeping 50 addresses together costs two thirds of the gas of single sweeps, and fits into a block of any network.
const atOnce = 50
const patienceMs = 10 * 60 * 1_000
// Each attempt costs gas: wait after a revert, and longer if a token does not move.
const retryMs = { reverted: 60 * 60 * 1_000, left: 24 * 60 * 60 * 1_000 }

// After that the operator has to check a token that does not move. A new deposit at the address resets the count.
const repeatsMax = 3
const isStuck = ({ repeats }: Taken): boolean => repeats >= repeatsMax

/** Queues a sweep of 50 addresses, or of fewer that have waited for 10 minutes. */
export function createPlanSweeps(tools: PostTools, networks: readonly string[]): () => Promise<boolean> {
  return async () => {
    let hasPlanned = false
    for (const chain of await listChains(tools.pool))
      if (networks.includes(chain.abbreviation) && (await planSweep(tools, chain))) hasPlanned = true
    return hasPlanned
  }
}

async function planSweep({ pool, clock, newId }: PostTools, { id: networkId, treasury, factory }: Chain) {
  const known = (await listTokens(pool, networkId)).map(({ address }) => address).filter((token) => token !== coin)
  return inTransaction(pool, async (tx) => {
    const askedAt = clock()
    const wanted = await lockWanted(tx, networkId, askedAt, atOnce)
    const [oldest] = wanted
    if (oldest === undefined) return false
    if (wanted.length < atOnce && askedAt.getTime() - oldest.wantedAt.getTime() < patienceMs) return false
    const tokens = await listMovedTokens(tx, wanted, known)
    const args = [treasury as Hex, wanted.map(({ salt }) => salt as Hex), tokens as Hex[]] as const
    const data = encodeFunctionData({ abi: depositFactoryAbi, functionName: 'sweep', args })
    const id = newId()
    await queueSend(tx, {
      id,
      networkId,
      lane: 'sweep',
      reference: `sweep/${id}`,
      to: factory,
      data,
      value: 0n,
      askedAt,
    })
    await markTaken(tx, networkId, wanted, id)
    return true
  })
}

/** Finishes a sweep. */
export async function endSweep(tools: BookTools, tx: Tx, send: Send, ending: Ending): Promise<void> {
  const { id, networkId, askedAt } = send
  const { outcome, blockNumber } = ending
  const taken = await listTaken(tx, id)
  const isDone = outcome === 'done' && blockNumber !== null
  const left = isDone ? await findLeft(tx, send, taken, blockNumber) : []
  const stuck = left.filter(isStuck)
  const retried = left.filter((one) => !isStuck(one))
  for (const [what, addresses] of [
    ['a sweep left something behind', retried],
    ['sweeps left something behind too often: no further attempts', stuck],
  ] as const)
    if (addresses.length > 0) tools.log.error({ send: id, addresses: addresses.map(({ address }) => address) }, what)
  const retryAt = new Date(tools.clock().getTime() + (isDone ? retryMs.left : retryMs.reverted))
  await countRepeat(tx, networkId, left)
  await markSwept(tx, id, askedAt, isDone ? retried : taken, retryAt)
}

/** The addresses where a sweep left tokens behind. A token that refuses to move does not stop the rest of a sweep. */
async function findLeft(tx: Tx, { data }: Send, taken: readonly Taken[], number: bigint): Promise<Taken[]> {
  if (taken.length === 0) return []
  const { args } = decodeFunctionData({ abi: depositFactoryAbi, data: data as Hex })
  const tokens = [coin, ...((args[2] ?? []) as readonly string[])]
  const held = await sumHeld(
    tx,
    taken.map(({ ownerId }) => ownerId),
    number,
  )
  return taken.filter(({ ownerId }) => tokens.some((token) => held(ownerId, token.toLowerCase()) > 0n))
}
