import { decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem'
import { balancesCode } from './balances.gen.ts'
import { toHex } from './block.ts'
import { chainError } from './errors.ts'
import type { Rpc } from './rpc.ts'

/** What one question may ask for: a node answers with no more bytes than a contract may have. */
export const balancesAtOnce = 750

/** What each address holds at a block, coin first and then each of the tokens: one question, and two nodes have to agree. */
export async function readBalances(
  rpc: Rpc,
  holders: readonly string[],
  tokens: readonly string[],
  number: bigint,
): Promise<bigint[][]> {
  const lists = encodeAbiParameters([{ type: 'address[]' }, { type: 'address[]' }], [holders as Hex[], tokens as Hex[]])
  const data = `${balancesCode}${lists.slice(2)}`
  const [told, other = told] = await rpc.askTwo<Hex>('eth_call', [{ data }, toHex(number)])
  if (told === undefined || told !== other) throw chainError('CHAIN_DISAGREES', { said: 'balances' })
  const [all] = decodeAbiParameters([{ type: 'uint256[]' }], told)
  const width = tokens.length + 1
  return holders.map((_, i) => all.slice(i * width, (i + 1) * width))
}
