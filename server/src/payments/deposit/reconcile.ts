import { inTransaction } from '../../base/db.ts'
import { balancesAtOnce, readBalances } from '../../chain/balances.ts'
import { coin, scannedIndex } from '../../chain/block.ts'
import { chainError } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { findFinality, lockChain, savePayments } from '../../chain/store.ts'
import { findTrustedChain } from '../../chain/trust.ts'
import type { WatchTools } from '../../chain/watch.ts'
import { listTokens } from '../../catalogue/currency/store.ts'
import { listAddresses, listBookMismatches, lockAddress, type OurAddress, sumHeld } from './sweep-store.ts'

/**
 * Checks all addresses of a network, page by page: the balance at a final block must equal payments minus sweeps.
 * After each round, checks that the ledger holds on the network what was booked. Logs every mismatch.
 */
export function createReconcile(tools: WatchTools, network: string, rpc: Rpc): () => Promise<boolean> {
  const { pool, log } = tools
  let after = ''
  return async () => {
    const chain = await findTrustedChain(pool, network, rpc.nodes)
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
        const balance = balances[i]?.[j] ?? 0n
        const known = held(ours.ownerId, token)
        if (token === coin && balance > known) await recordUnseenCoin(tools, chain.id, ours, balance, number, minedAt)
        else if (balance !== known)
          log.error(
            { network, address: ours.address, token, balance: String(balance), known: String(known) },
            'address balance mismatch',
          )
      }
    if (after === '')
      for (const { bookId, difference } of await listBookMismatches(pool, chain.id))
        log.error({ network, bookId, difference: String(difference) }, 'ledger balance mismatch')
    return false
  }
}

/**
 * Records coin that a contract sent: it is in no transaction and shows only in the balance. Its exact time is
 * unknown, `minedAt` is the latest possible. Returns whether there was any.
 */
export async function recordUnseenCoin(
  { pool, clock, newId }: WatchTools,
  networkId: string,
  { address, ownerId }: OurAddress,
  balance: bigint,
  number: bigint,
  minedAt: Date,
): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    await lockChain(tx, networkId)
    // After a rollback the balance is of a block that is gone. Its payments are read again.
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
