import { type Address, type ContractFunctionReturnType, getAbiItem, zeroAddress } from 'viem'
import { voucherVaultAbi as abi } from '../server/src/chain/voucher-vault.gen.ts'
import { codeHashOf } from '../server/src/vouchers/code/claim.ts'
import type { HolderClient } from './redeem-onchain.ts'

export type FoundVoucher = ContractFunctionReturnType<typeof abi, 'view', 'getVoucher'>

const created = getAbiItem({ abi, name: 'VoucherCreated' })
// Below this, a node refuses for another reason than the number of blocks.
const spanMin = 10n
const progressMs = 5_000

/**
 * The voucher of a claim key. Its id depends on its creator, so without one, all accounts that created vouchers in the vault
 * are tried, newest first. A shop creates all its vouchers with the same few accounts.
 */
export async function findInVault(
  client: HolderClient,
  vault: Address,
  claimKeyAddress: Address,
  creator: Address | undefined,
): Promise<FoundVoucher | undefined> {
  const find = async (by: Address): Promise<FoundVoucher | undefined> => {
    const args = [codeHashOf(by, claimKeyAddress)] as const
    const voucher = await client.readContract({ address: vault, abi, functionName: 'getVoucher', args })
    return voucher.creator === zeroAddress ? undefined : voucher
  }
  if (creator !== undefined) return find(creator)
  for await (const each of listCreators(client, vault)) {
    const voucher = await find(each)
    if (voucher !== undefined) return voucher
  }
  return undefined
}

/** Each account once. Nodes limit how many blocks one request may search, by different numbers. */
async function* listCreators(client: HolderClient, vault: Address): AsyncGenerator<Address> {
  const known = new Set<Address>()
  let last = await client.getBlockNumber()
  let span = last + 1n
  let reportedMs = Date.now()
  while (last >= 0n) {
    const first = last >= span ? last - span + 1n : 0n
    const range = { fromBlock: first, toBlock: last }
    const logs = await client.getLogs({ address: vault, event: created, ...range }).catch((error: unknown) => {
      if (span > spanMin) return undefined
      throw new Error('The node does not search for vouchers. Use another node, or set --creator.', { cause: error })
    })
    if (logs === undefined) {
      span = span / 4n > spanMin ? span / 4n : spanMin
      continue
    }
    for (const { args } of logs) {
      if (args.creator === undefined || known.has(args.creator)) continue
      known.add(args.creator)
      yield args.creator
    }
    last = first - 1n
    if (Date.now() - reportedMs < progressMs) continue
    reportedMs = Date.now()
    console.error(`Searching for the voucher below block ${first}. With --creator, no search is needed.`)
  }
}
