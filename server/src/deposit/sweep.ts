import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { inTransaction, type Tx } from '../base/db.ts'
import { coin } from '../chain/block.ts'
import { chainError } from '../chain/errors.ts'
import { depositFactoryAbi } from '../chain/deposit-factory.gen.ts'
import type { Ending, SignedSend } from '../chain/send-store.ts'
import { queueSend } from '../chain/send-store.ts'
import { type Chain, findChain, listChains } from '../chain/store.ts'
import { listTokens } from '../currency/store.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import { ensureBook } from '../ledger/book.ts'
import { type BookTools, gasOn } from './book.ts'
import { unitOf } from './price.ts'
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

// Of so many addresses at once a sweep costs two thirds of what it costs alone, and it fits into a block of any network.
const atOnce = 50
const patienceMs = 10 * 60 * 1_000
// One that reverted is not tried again at once: it costs gas each time. A token that does not move may not for long.
const againMs = { reverted: 60 * 60 * 1_000, left: 24 * 60 * 60 * 1_000 }

// A token that still does not move, or a hostile one, is the operator's to look at. New money at the address begins anew.
const repeatsMax = 3
const isStuck = ({ repeats }: Taken): boolean => repeats >= repeatsMax

/** Asks for sweeps: of fifty addresses together, or of those that have waited long enough. */
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
    await queueSend(tx, { id, networkId, reference: `sweep/${id}`, to: factory, data, value: 0n, askedAt })
    await markTaken(tx, networkId, wanted, id)
    return true
  })
}

/** What a transaction of ours cost goes into the ledger with its end, to the wei. */
export async function endSend(tools: BookTools, tx: Tx, send: SignedSend, ending: Ending): Promise<void> {
  const { id, networkId, askedAt } = send
  const { outcome, fee, blockNumber } = ending
  const taken = await listTaken(tx, id)
  const isDone = outcome === 'done' && blockNumber !== null
  const left = isDone ? await findLeft(tx, send, taken, blockNumber) : []
  const [stuck, retried] = [left.filter(isStuck), left.filter((one) => !isStuck(one))]
  for (const [what, addresses] of [
    ['a sweep left something behind', retried],
    ['sweeps left something behind too often: no more of it is tried', stuck],
  ] as const)
    if (addresses.length > 0) tools.log.error({ send: id, addresses: addresses.map(({ address }) => address) }, what)
  const again = new Date(tools.clock().getTime() + (isDone ? againMs.left : againMs.reverted))
  await countRepeat(tx, networkId, left)
  await markSwept(tx, id, askedAt, isDone ? retried : taken, again)
  const chain = await findChain(tx, networkId)
  const own = (await listTokens(tx, networkId)).find(({ address }) => address === coin)
  // Without its gas in the ledger it has not ended.
  if (chain === undefined || own === undefined) throw chainError('CHAIN_UNWATCHED')
  if (fee === 0n) return
  const bookId = await ensureBook(tx, chain.mode, own.currency.code)
  const [gas, purse] = [gasOn(networkId, bookId), { bookId, ownerId: networkId, kind: 'purse' } as const]
  const amount = fee * unitOf(own.currency, own.decimals)
  const alternatives = [{ transfers: [{ from: gas, to: purse, amount }], open: [gas, purse] }] as const
  await postWithin(tx, { id: tools.newId(), kind: 'gas.pay', key: `gas/${id}`, asked: '', alternatives }, tools)
}

/** A token that refuses to move holds back nothing else, so that a sweep works and leaves it there. */
async function findLeft(tx: Tx, { data }: SignedSend, taken: readonly Taken[], number: bigint): Promise<Taken[]> {
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
