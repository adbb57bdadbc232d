import { inTransaction, type Pool } from '../../base/db.ts'
import { actFor, withEnvironment } from '../../base/environment.ts'
import { type Job, processDue } from '../../base/jobs.ts'
import { readBalances } from '../../chain/balances.ts'
import { confirmPayment } from '../../chain/confirm.ts'
import { chainError } from '../../chain/errors.ts'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import { createSendMonitor, type EndSend, type SendTools, signSend } from '../../chain/send.ts'
import { lanes, listUnsigned } from '../../chain/send-store.ts'
import type { Signer } from '../../chain/sign.ts'
import { findChain, findFinality } from '../../chain/store.ts'
import { findTrustedChain, type Nodes, refuseOneNode } from '../../chain/trust.ts'
import { createWatch, type WatchTools } from '../../chain/watch.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { postWithin } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { type BookTools, bookPayment, openCase, undoPayment, withDeposit } from './book.ts'
import { endUnpaid } from './cancel.ts'
import { markConfirming } from './confirming.ts'
import { createReconcile, recordUnseenCoin } from './reconcile.ts'
import { priceSeenPayment } from './reprice.ts'
import {
  type Deposit,
  findDeposit,
  listDue,
  listUnbooked,
  listUndone,
  listUnpriced,
  lockDeposit,
  type Payment,
} from './store.ts'
import { createPlanSweeps } from './sweep.ts'

export type DepositTools = BookTools &
  WatchTools &
  SendTools & {
    readonly nodes: Nodes
    /** Connects as the role that may record payments of networks. */
    readonly chainPool: Pool
    readonly endSend: EndSend
  }

type Rpcs = ReadonlyMap<string, Rpc>

const atOnce = 100
const together = 5
const signedAtOnce = 16
const unfinishedMax = 64

/** The jobs that read every network with nodes and book the payments found there. */
export function listDepositJobs(tools: DepositTools): Job[] {
  const networks = Object.entries(tools.nodes)
  const rpcs: Rpcs = new Map(
    networks.map(([network, urls]) => [network, createRpc(urls, tools.clock, { log: tools.log, network })]),
  )
  return [
    // One job per network, so that an unreachable network does not delay others.
    ...[...rpcs].map(([network, rpc]) => watchJob(tools, network, rpc)),
    ...bookingJobs(tools, rpcs),
    ...[...rpcs].flatMap(([network, rpc]) => networkJobs(tools, network, rpc)),
    ...sendJobs(tools, rpcs),
  ]
}

function rpcOf(rpcs: Rpcs, network: string): Rpc {
  const rpc = rpcs.get(network)
  if (rpc === undefined) throw chainError('CHAIN_UNWATCHED')
  return rpc
}

function readToolsOf(tools: DepositTools): WatchTools {
  return { ...tools, pool: tools.chainPool }
}

function watchJob(tools: DepositTools, network: string, rpc: Rpc): Job {
  return { name: `blocks of ${network}`, everyMs: 500, run: createWatch(readToolsOf(tools), network, rpc) }
}

/** Prices, books and reverses payments of all networks. */
function bookingJobs(tools: DepositTools, rpcs: Rpcs): Job[] {
  const { pool, clock } = tools
  return [
    {
      name: 'prices of seen deposits',
      everyMs: 500,
      run: processDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnpriced(pool, resting, limit),
        (payment) => priceOnceSeen(tools, payment),
        together,
      ),
    },
    {
      name: 'deposits',
      everyMs: 500,
      run: processDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnbooked(pool, resting, limit),
        async (payment) => {
          const chain = await findChain(pool, payment.network)
          if (chain !== undefined) refuseOneNode(chain, tools.nodes)
          await confirmPayment(rpcOf(rpcs, payment.network), payment)
          await bookPayment(tools, payment)
        },
        together,
      ),
    },
    {
      name: 'undone deposits',
      everyMs: 1_000,
      run: processDue(
        clock,
        atOnce,
        (_, resting, limit) => listUndone(pool, resting, limit),
        (payment) => undoPayment(tools, payment),
      ),
    },
  ]
}

/** In two commits, so that a missing rate does not hide a payment. */
async function priceOnceSeen(tools: DepositTools, payment: Payment): Promise<void> {
  await withDeposit(tools, payment, async (tx, deposit) => {
    await markConfirming(tools, tx, deposit, payment)
  })
  await withDeposit(tools, payment, async (tx, deposit) => {
    await priceSeenPayment(tools, tx, deposit, payment)
  })
}

/** Ends expired deposits, reconciles balances and finishes sends of one network. */
function networkJobs(tools: DepositTools, network: string, rpc: Rpc): Job[] {
  const readTools = readToolsOf(tools)
  return [
    {
      name: `unpaid deposits of ${network}`,
      everyMs: 2_000,
      run: processDue(
        tools.clock,
        atOnce,
        (at, resting, limit) => findExpired(tools, network, rpc, at, resting, limit),
        async ({ deposit, balance, number }) => {
          const { networkId, id: ownerId, address, expiresAt } = deposit
          const ours = { address, ownerId }
          if (!(await recordUnseenCoin(readTools, networkId, ours, balance, number, expiresAt)))
            await endExpired(tools, deposit)
        },
      ),
    },
    {
      name: `balances of ${network}`,
      everyMs: 10_000,
      run: createReconcile(readTools, network, rpc),
    },
    {
      name: `sends to ${network}`,
      everyMs: 1_000,
      run: createSendMonitor(tools, network, rpc, tools.endSend),
    },
  ]
}

/** Plans sweeps, and signs the sends of every purpose that the process has a key for. */
function sendJobs(tools: DepositTools, rpcs: Rpcs): Job[] {
  const { pool, clock, signers, endSend } = tools
  const networks = [...rpcs.keys()]
  const signing = lanes
    .filter((lane) => signers[lane].length > 0)
    .map((lane) => ({
      name: `unsent of ${lane}`,
      everyMs: 500,
      run: processDue(
        clock,
        signedAtOnce,
        (_, resting, limit) =>
          listUnsigned(pool, lane, addressesOf(signers[lane]), networks, resting, limit, unfinishedMax),
        async (send) => {
          const chain = await findChain(pool, send.networkId)
          if (chain !== undefined) await signSend(tools, rpcOf(rpcs, send.network), chain, send, endSend)
        },
      ),
    }))
  const planning = { name: 'sweeps', everyMs: 5_000, run: createPlanSweeps(tools, networks) }
  return signers.sweep.length > 0 ? [planning, ...signing] : signing
}

function addressesOf(signers: readonly Signer[]): string[] {
  return signers.map(({ address }) => address)
}

type ExpiredDeposit = {
  readonly id: string
  readonly deposit: Deposit
  readonly balance: bigint
  /** The final block of the balance. */
  readonly number: bigint
}

/** Expired deposits with the coin balances of their addresses at a final block, read in one call. */
async function findExpired(
  { pool }: DepositTools,
  network: string,
  rpc: Rpc,
  at: Date,
  resting: readonly string[],
  limit: number,
): Promise<ExpiredDeposit[]> {
  if ((await findTrustedChain(pool, network, rpc.nodes)) === undefined) return []
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

/** Ends an expired deposit as FAILED. An underpayment becomes an unmatched deposit. */
async function endExpired(tools: DepositTools, { environmentId, id }: Deposit): Promise<void> {
  const { pool, newId } = tools
  await inTransaction(pool, async (tx) => {
    await actFor(tx, environmentId)
    const deposit = await lockDeposit(tx, id)
    if (deposit?.endedAt !== null) return
    const event = await endUnpaid(tools, tx, deposit, 'FAILED')
    if (deposit.paid === 0n) return publishEvents(tx, [event], tools)
    const paid = { currency: await findCurrency(tx, deposit.payCurrency, 'any'), amount: deposit.paid }
    const { documents, events } = openCase(tools, deposit, 'under', { ...paid, bookId: deposit.payBookId })
    const alternatives = [{ transfers: [], documents, events: [event, ...events] }] as const
    const journal = {
      id: newId(),
      kind: 'claim.deposit-end',
      key: `deposit/${id}/end`,
      requestFingerprint: '',
      alternatives,
    }
    await postWithin(tx, journal, tools)
  })
}
