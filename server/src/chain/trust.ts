import type { Db } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { chainError } from './errors.ts'
import { type Chain, listChains } from './store.ts'

/** Addresses of nodes, by the network's abbreviation. */
export type Nodes = Readonly<Record<string, readonly string[]>>

type Trusted = Pick<Chain, 'abbreviation' | 'mode' | 'trustsOneNode'>

/** One node could invent payments. Two have to agree on a live network, unless the operator has decided to trust one. */
export function needsSecondNode({ mode, trustsOneNode }: Trusted, nodes: number): boolean {
  return mode === 'live' && nodes === 1 && !trustsOneNode
}

export function refuseOneNode(chain: Trusted, nodes: Nodes): void {
  const { abbreviation } = chain
  if (needsSecondNode(chain, nodes[abbreviation]?.length ?? 0))
    throw chainError('CHAIN_ONE_NODE', { network: abbreviation })
}

export type NodeTrust = { readonly network: string; readonly nodes: 'two or more' | 'one, trusted' | 'one, refused' }

/** For the start log and for health: what each live network relies on. */
export async function describeTrust(db: Db, nodes: Nodes): Promise<NodeTrust[]> {
  const chains = await listChains(db)
  return chains.flatMap((chain): NodeTrust[] => {
    const { abbreviation: network, mode } = chain
    const count = nodes[network]?.length ?? 0
    if (mode !== 'live' || count === 0) return []
    if (count > 1) return [{ network, nodes: 'two or more' }]
    return [{ network, nodes: needsSecondNode(chain, count) ? 'one, refused' : 'one, trusted' }]
  })
}

export async function logTrust(db: Db, nodes: Nodes, log: Log): Promise<void> {
  for (const { network, nodes: state } of await describeTrust(db, nodes)) {
    if (state === 'one, refused')
      log.error({ network }, 'A live network has one node and is not read. Name a second one, or set --trust-one-node.')
    if (state === 'one, trusted')
      log.warn({ network }, 'A live network has one node, which is trusted alone: it could invent payments.')
  }
}
