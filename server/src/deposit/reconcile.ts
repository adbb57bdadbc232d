import { inTransaction } from '../base/db.ts'
import { balancesAtOnce, readBalances } from '../chain/balances.ts'
import { coin, scannedIndex } from '../chain/block.ts'
import { chainError } from '../chain/errors.ts'
import type { Rpc } from '../chain/rpc.ts'
import { findChain, findFinality, lockChain, savePayments } from '../chain/store.ts'
import type { WatchTools } from '../chain/watch.ts'
import { listTokens } from '../currency/store.ts'
import { listAddresses, listUnlikeBooks, lockAddress, type OurAddress, sumHeld } from './sweep-store.ts'

/**
 * Goes round all addresses of a network, some at a time: what each holds there, at a final block, is what came in less what was swept by
 * all that we know. After each round: what the ledger holds on the network is what was booked. Where it is not, somebody is told.
 */
export function createReconcile(tools: WatchTools, network: string, rpc: Rpc): () => Promise<boolean> {
  const { pool, log } = tools
  let after = ''
  return async () => {
    const chain = await findChain(pool, network)
    const finality = chain && (await findFinality(pool, chain.id))
    if (chain === undefined || finality === undefined) return false
    const tokens = (await listTokens(pool, chain.id)).map(({ address }) => address).filter((token) => token !== coin)
    const limit = Math.floor(balancesAtOnce / (tokens.length + 1))
    const page = await listAddresses(pool, chain.id, after, limit)
    after = page.length < limit ? '' : (page.at(-1)?.address ?? '')
    const { number, minedAt } = finality
    const holders = page.map(({ address }) => address)
    const balances = page.length === 0 ? [] : await readBalances(rpc, holders, tokens, number)
    const held = await sumHeld(
      pool,
      page.map(({ ownerId }) => ownerId),
      number,
    )
    for (const [i, ours] of page.entries())
      for (const [j, token] of [coin, ...tokens].entries()) {
        const [says, known] = [balances[i]?.[j] ?? 0n, held(ours.ownerId, token)]
        if (token === coin && says > known) await noteUnseenCoin(tools, chain.id, ours, says, number, minedAt)
        else if (says !== known)
          log.error(
            { network, address: ours.address, token, holds: String(says), known: String(known) },
            'an address holds something else than we know of',
          )
      }
    if (after === '')
      for (const { bookId, difference } of await listUnlikeBooks(pool, chain.id))
        log.error(
          { network, bookId, difference: String(difference) },
          'the ledger holds something else than was booked',
        )
    return false
  }
}

/**
 * Coin that a contract sent is in no transaction of a block: the balance tells. Says whether there was any. When it came nobody can say:
 * by this time at the latest.
 */
export async function noteUnseenCoin(
  { pool, clock, newId }: WatchTools,
  networkId: string,
  { address, ownerId }: OurAddress,
  balance: bigint,
  number: bigint,
  minedAt: Date,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockChain(tx, networkId)
    // What was read of a block that is no longer final is no balance: what came in it is read again.
    if (((await findFinality(tx, networkId))?.number ?? -1n) < number) throw chainError('CHAIN_DISAGREES', { address })
    await lockAddress(tx, networkId, address)
    const amount = balance - (await sumHeld(tx, [ownerId], number))(ownerId, coin)
    if (amount <= 0n) return false
    const txHash = `balance ${address} ${number}`
    const found = { id: newId(), txHash, logIndex: scannedIndex, ownerId, to: address, token: coin, amount }
    await savePayments(tx, networkId, { number, minedAt }, [found], clock())
    return true
  })
}
