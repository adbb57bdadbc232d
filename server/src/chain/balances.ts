import { decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem'
import { balancesCode } from './balances.gen.ts'
import { toHex } from './block.ts'
import { chainError } from './errors.ts'
import type { Rpc } from './rpc.ts'

/** The most balances per call: the response of a node is limited to the size of a contract. */
export const balancesAtOnce = 750

/**
 * The balances of each address at a block, the coin first, then each token. One call, on which two nodes must agree.
 */
export async function readBalances(
  rpc: Rpc,
  holders: readonly string[],
  tokens: readonly string[],
  number: bigint,
): Promise<bigint[][]> {
  const lists = encodeAbiParameters([{ type: 'address[]' }, { type: 'address[]' }], [holders as Hex[], tokens as Hex[]])
  const data = `${balancesCode}${lists.slice(2)}`
  const [result, other = result] = await rpc.callTwo<Hex>('eth_call', [{ data }, toHex(number)])
  if (result === undefined || result !== other) throw chainError('CHAIN_DISAGREES', { said: 'balances' })
  const [all] = decodeAbiParameters([{ type: 'uint256[]' }], result)
  const width = tokens.length + 1
  return holders.map((_, i) => all.slice(i * width, (i + 1) * width))
}
