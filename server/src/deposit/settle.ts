import { inTransaction, type Pool } from '../base/db.ts'
import { actFor, withEnvironment } from '../base/environment.ts'
import { type Sweep, sweepDue } from '../base/sweep.ts'
import { readBalances } from '../chain/balances.ts'
import { confirmPayment } from '../chain/confirm.ts'
import { chainError } from '../chain/errors.ts'
import { createSeeThrough, type SendTools, signSend } from '../chain/send.ts'
import { listUnsigned } from '../chain/send-store.ts'
import { findChain, findFinality } from '../chain/store.ts'
import { needsSecondNode, type Nodes, refuseOneNode } from '../chain/trust.ts'
import { createWatch, type WatchTools } from '../chain/watch.ts'
import { createRpc, type Rpc } from '../chain/rpc.ts'
import { findCurrency } from '../currency/store.ts'
import { postWithin } from '../ledger/batch.ts'
import { tell } from '../ledger/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { moveTransaction } from '../transaction/store.ts'
import { aboutOf, bookPayment, type BookTools, openCase, undoPayment, withDeposit } from './book.ts'
import { depositEvent } from './events.ts'
import { priceSeenPayment } from './reprice.ts'
import { createReconcile, noteUnseenCoin } from './reconcile.ts'
import { createPlanSweeps, endSend } from './sweep.ts'
import {
  type Deposit,
  findDeposit,
  listDue,
  listUnbooked,
  listUndone,
  listUnpriced,
  lockDeposit,
  saveProgress,
} from './store.ts'

export type DepositTools = BookTools &
  WatchTools &
  SendTools & {
    readonly nodes: Nodes
    /** As the role that may record what is on a network. */
    readonly chainPool: Pool
  }

const atOnce = 100
const together = 5
const signedAtOnce = 16
const underWayMax = 64

/** Reads every network that nodes are named for, and brings what was paid there into the ledger. */
export function listDepositSweeps(tools: DepositTools): Sweep[] {
  const { pool, clock } = tools
  const rpcs = new Map(Object.entries(tools.nodes).map(([network, urls]) => [network, createRpc(urls, clock)]))
  const rpcOf = (network: string): Rpc => {
    const rpc = rpcs.get(network)
    if (rpc === undefined) throw chainError('CHAIN_UNWATCHED')
    return rpc
  }
  /** Nothing is believed of a live network with a single node, unless the operator trusts it. */
  const ifTrusted = (network: string, rpc: Rpc, run: () => Promise<boolean>) => async (): Promise<boolean> => {
    const chain = await findChain(pool, network)
    return chain === undefined || needsSecondNode(chain, rpc.nodes) ? false : run()
  }
  const [signer] = tools.signers
  const readTools = { ...tools, pool: tools.chainPool }
  return [
    // One for each: a network that cannot be asked holds back no other.
    ...[...rpcs].map(([network, rpc]) => ({
      name: `blocks of ${network}`,
      everyMs: 500,
      run: ifTrusted(network, rpc, createWatch(readTools, network, rpc)),
    })),
    {
      name: 'prices of seen deposits',
      everyMs: 500,
      run: sweepDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnpriced(pool, resting, limit),
        (payment) =>
          withDeposit(tools, payment, async (tx, deposit) => {
            await priceSeenPayment(tools, tx, deposit, payment)
          }),
        together,
      ),
    },
    {
      name: 'deposits',
      everyMs: 500,
      run: sweepDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnbooked(pool, resting, limit),
        async (payment) => {
          const chain = await findChain(pool, payment.network)
          if (chain !== undefined) refuseOneNode(chain, tools.nodes)
          await confirmPayment(rpcOf(payment.network), payment)
          await bookPayment(tools, payment)
        },
        together,
      ),
    },
    {
      name: 'undone deposits',
      everyMs: 1_000,
      run: sweepDue(
        clock,
        atOnce,
        (_, resting, limit) => listUndone(pool, resting, limit),
        (payment) => undoPayment(tools, payment),
      ),
    },
    ...[...rpcs].flatMap(([network, rpc]) => [
      {
        name: `unpaid deposits of ${network}`,
        everyMs: 2_000,
        run: ifTrusted(
          network,
          rpc,
          sweepDue(
            clock,
            atOnce,
            (at, resting, limit) => findUnpaid(tools, network, rpc, at, resting, limit),
            async ({ deposit, balance, number }) => {
              const { networkId, id: ownerId, address, expiresAt } = deposit
              const ours = { address, ownerId }
              if (!(await noteUnseenCoin(readTools, networkId, ours, balance, number, expiresAt)))
                await endUnpaid(tools, deposit)
            },
          ),
        ),
      },
      {
        name: `balances of ${network}`,
        everyMs: 10_000,
        run: ifTrusted(network, rpc, createReconcile(readTools, network, rpc)),
      },
      {
        name: `sends to ${network}`,
        everyMs: 1_000,
        run: createSeeThrough(tools, network, rpc, (tx, send, ending) => endSend(tools, tx, send, ending)),
      },
    ]),
    ...(signer === undefined
      ? []
      : [
          { name: 'sweeps', everyMs: 5_000, run: createPlanSweeps(tools, [...rpcs.keys()]) },
          {
            name: 'unsent',
            everyMs: 500,
            run: sweepDue(
              clock,
              signedAtOnce,
              (_, resting, limit) => listUnsigned(pool, [...rpcs.keys()], resting, limit, underWayMax),
              async (send) => {
                const chain = await findChain(pool, send.networkId)
                if (chain !== undefined) await signSend(tools, signer, rpcOf(send.network), chain, send)
              },
            ),
          },
        ]),
  ]
}

/** Those whose time is over, with what their addresses hold at a final block: one question for all of them. */
async function findUnpaid(
  { pool }: DepositTools,
  network: string,
  rpc: Rpc,
  at: Date,
  resting: readonly string[],
  limit: number,
) {
  const due = await listDue(pool, network, at, resting, limit)
  const found = await Promise.all(
    due.map(({ environmentId, id }) => withEnvironment(pool, environmentId, (tx) => findDeposit(tx, { id }))),
  )
  const deposits = found.filter((deposit) => deposit !== undefined)
  const [first] = deposits
  const finality = first && (await findFinality(pool, first.networkId))
  if (finality === undefined) return []
  const { number } = finality
  const balances = await readBalances(
    rpc,
    deposits.map(({ address }) => address),
    [],
    number,
  )
  return deposits.map((deposit, i) => ({ id: deposit.id, deposit, balance: balances[i]?.[0] ?? 0n, number }))
}

/** Its time is over. What was paid, and is too little, waits in a case. */
async function endUnpaid(tools: DepositTools, { environmentId, id }: Deposit): Promise<void> {
  const { pool, clock, newId } = tools
  await inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const deposit = await lockDeposit(tx, id)
    if (deposit?.endedAt !== null) return
    const at = clock()
    await saveProgress(tx, id, { ...deposit, endedAt: at })
    await moveTransaction(tx, deposit, 'CANCELED', at)
    const currency = await findCurrency(tx, deposit.currency, 'any')
    const event = depositEvent('deposit.canceled', aboutOf(deposit, 2), toToldTransaction(deposit, currency))
    if (deposit.paid === 0n) return tell(tx, [event], tools)
    const paid = { currency: await findCurrency(tx, deposit.payCurrency, 'any'), amount: deposit.paid }
    const { documents, events } = openCase(tools, deposit, 'under', { ...paid, bookId: deposit.payBookId })
    const alternatives = [{ transfers: [], documents, events: [event, ...events] }] as const
    const journal = { id: newId(), kind: 'claim.deposit-end', key: `deposit/${id}/end`, asked: '', alternatives }
    await postWithin(tx, journal, tools)
  })
}
