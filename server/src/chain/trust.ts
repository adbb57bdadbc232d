import type { Db } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { chainError } from './errors.ts'
import { type Chain, findChain, listChains } from './store.ts'

/** Node URLs by network abbreviation. */
export type Nodes = Readonly<Record<string, readonly string[]>>

type Trusted = Pick<Chain, 'abbreviation' | 'mode' | 'trustsOneNode'>

/** A single node could invent payments, so live networks need two, unless the operator chose to trust one. */
function needsSecondNode({ mode, trustsOneNode }: Trusted, nodes: number): boolean {
  return mode === 'live' && nodes === 1 && !trustsOneNode
}

/** Finds a network by abbreviation or id, if it has enough nodes to be trusted. */
export async function findTrustedChain(db: Db, name: string, nodes: number): Promise<Chain | undefined> {
  const chain = await findChain(db, name)
  return chain === undefined || needsSecondNode(chain, nodes) ? undefined : chain
}

export function refuseOneNode(chain: Trusted, nodes: Nodes): void {
  const { abbreviation } = chain
  if (needsSecondNode(chain, nodes[abbreviation]?.length ?? 0))
    throw chainError('CHAIN_ONE_NODE', { network: abbreviation })
}

export type NodeTrust = { readonly network: string; readonly nodes: 'two or more' | 'one, trusted' | 'one, refused' }

/** The node setup of each live network, for the start log and the health check. */
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
      log.error(
        { network },
        'A live network has only one node and is not read. Add a second node or set --trust-one-node.',
      )
    if (state === 'one, trusted')
      log.warn({ network }, 'A live network trusts a single node, which could invent payments.')
  }
}
