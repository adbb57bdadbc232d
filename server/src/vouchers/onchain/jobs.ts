import { type Job, processDue } from '../../base/jobs.ts'
import { chainError } from '../../chain/errors.ts'
import { createRpc } from '../../chain/rpc.ts'
import { findChain } from '../../chain/store.ts'
import { type Nodes, refuseOneNode } from '../../chain/trust.ts'
import { bookEvent } from './book-event.ts'
import type { BookTools } from './booking.ts'
import { createCloseVouchers } from './close.ts'
import { confirmEvent } from './confirm-event.ts'
import { createPlanVouchers, type CreateTools } from './create.ts'
import { listUnbooked, listUndone, type VaultEvent } from './event-store.ts'
import { createFailOverdue } from './overdue.ts'
import { createReconcileVaults } from './reconcile.ts'
import { undoEvent } from './undo-event.ts'

export type OnchainTools = BookTools & CreateTools & { readonly nodes: Nodes }

const atOnce = 100
// Our own transactions are broadcast again and mostly come back within seconds.
const goneForMs = 10 * 60 * 1_000

/** The jobs that create, book and close onchain vouchers. */
export function listOnchainJobs(tools: OnchainTools): Job[] {
  const { pool, clock, nodes } = tools
  const rpcs = new Map(
    Object.entries(nodes).map(([network, urls]) => [network, createRpc(urls, clock, { log: tools.log, network })]),
  )
  const networks = [...rpcs.keys()]
  const confirm = async (event: VaultEvent): Promise<void> => {
    const rpc = rpcs.get(event.network)
    const chain = await findChain(pool, event.networkId)
    if (rpc === undefined || chain === undefined) throw chainError('CHAIN_UNWATCHED')
    refuseOneNode(chain, nodes)
    await confirmEvent(rpc, event)
  }
  return [
    { name: 'onchain vouchers', everyMs: 500, run: createPlanVouchers(tools, networks) },
    {
      name: 'logs of vaults',
      everyMs: 500,
      run: processDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnbooked(pool, resting, limit),
        async (event) => {
          await confirm(event)
          await bookEvent(tools, event)
        },
      ),
    },
    {
      name: 'undone logs of vaults',
      everyMs: 5_000,
      run: processDue(
        clock,
        atOnce,
        (at, resting, limit) => listUndone(pool, new Date(at.getTime() - goneForMs), resting, limit),
        (event) => undoEvent(tools, event),
      ),
    },
    { name: 'overdue redemptions', everyMs: 5_000, run: createFailOverdue(tools) },
    { name: 'closings', everyMs: 5_000, run: createCloseVouchers(tools) },
    ...[...rpcs].map(([network, rpc]) => ({
      name: `vaults of ${network}`,
      everyMs: 30_000,
      run: createReconcileVaults(tools, network, rpc),
    })),
  ]
}
