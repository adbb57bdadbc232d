import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Pool } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { toHex } from '../../chain/block.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { findFinality } from '../../chain/store.ts'
import { findTrustedChain } from '../../chain/trust.ts'
import { voucherVaultAbi } from '../../chain/voucher-vault.gen.ts'
import { listLedgerMismatches, listMovedTokens, listOpenVouchers, listStuckSends } from './reconcile-store.ts'

const pageSize = 100
const lowestId = '00000000-0000-0000-0000-000000000000'
// A send that is not mined after this long needs somebody to look at it.
const stuckAfterMs = 30 * 60 * 1_000

type ReconcileTools = { readonly pool: Pool; readonly log: Log; readonly clock: () => Date }

/**
 * Checks the vouchers of a network, page by page: the vault must hold at a final block what we last saw final. After each round, checks
 * the ledger against the sum of the vaults. Logs every mismatch, sends that are not mined, and tokens that are no longer in the catalogue.
 */
export function createReconcileVaults(tools: ReconcileTools, network: string, rpc: Rpc): () => Promise<boolean> {
  const { pool, log, clock } = tools
  let after = lowestId
  return async () => {
    const chain = await findTrustedChain(pool, network, rpc.nodes)
    const finality = chain && (await findFinality(pool, chain.id))
    if (chain === undefined || finality === undefined) return false
    const page = await listOpenVouchers(pool, chain.id, after, finality.number, pageSize)
    after = page.length < pageSize ? lowestId : (page.at(-1)?.voucherId ?? lowestId)
    for (const { voucherId, vault, codeHash, balance } of page) {
      const held = await readBalance(rpc, vault, codeHash, finality.number)
      if (held !== balance)
        log.error({ network, voucher: voucherId, held: String(held), known: String(balance) }, 'vault balance mismatch')
    }
    if (after !== lowestId) return true
    for (const { bookId, difference } of await listLedgerMismatches(pool, chain.id))
      log.error({ network, bookId, difference: String(difference) }, 'the ledger differs from the vaults')
    for (const { vault, token } of await listMovedTokens(pool, chain.id))
      log.error({ network, vault, token }, 'vouchers are in a token that is no longer in the catalogue')
    const stuckBefore = new Date(clock().getTime() - stuckAfterMs)
    for (const { id, reference } of await listStuckSends(pool, chain.id, stuckBefore))
      log.error({ network, send: id, reference }, 'a transaction has not been mined for half an hour')
    return false
  }
}

async function readBalance(rpc: Rpc, vault: string, codeHash: string, number: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'getVoucher', args: [codeHash as Hex] })
  const result = await rpc.call<Hex>('eth_call', [{ to: vault, data }, toHex(number)])
  return decodeFunctionResult({ abi: voucherVaultAbi, functionName: 'getVoucher', data: result }).balance
}
