import { inTransaction } from '../base/db.ts'
import { actFor, withEnvironment } from '../base/environment.ts'
import { dueBy, type Sweep, sweepDue } from '../base/sweep.ts'
import { coin, type RawReceipt, scannedIndex, toHex } from '../chain/block.ts'
import { chainError } from '../chain/errors.ts'
import { findFinality, savePayments } from '../chain/store.ts'
import { createWatch, type WatchTools } from '../chain/watch.ts'
import { createRpc, type Rpc } from '../chain/rpc.ts'
import { findCurrency } from '../currency/store.ts'
import { postWithin } from '../ledger/batch.ts'
import { tell } from '../ledger/store.ts'
import { toToldTransaction } from '../transaction/events.ts'
import { moveTransaction } from '../transaction/store.ts'
import { aboutOf, bookPayment, type BookTools, openCase, undoPayment } from './book.ts'
import { depositEvent } from './events.ts'
import {
  type Deposit,
  findDeposit,
  listUnbooked,
  listUndone,
  lockDeposit,
  type Payment,
  saveProgress,
  sumCoin,
} from './store.ts'

export type Nodes = Readonly<Record<string, readonly string[]>>
export type DepositTools = BookTools & WatchTools & { readonly nodes: Nodes }

const atOnce = 100
const together = 5

/** Reads every network that nodes are named for, and brings what was paid there into the ledger. */
export function listDepositSweeps(tools: DepositTools): Sweep[] {
  const { pool, clock } = tools
  const rpcs = new Map(Object.entries(tools.nodes).map(([network, urls]) => [network, createRpc(urls, clock)]))
  const rpcOf = (network: string): Rpc => {
    const rpc = rpcs.get(network)
    if (rpc === undefined) throw chainError('CHAIN_UNWATCHED')
    return rpc
  }
  return [
    // One for each: a network that cannot be asked holds back no other.
    ...[...rpcs].map(([network, rpc]) => ({
      name: `blocks of ${network}`,
      everyMs: 500,
      run: createWatch(tools, network, rpc),
    })),
    {
      name: 'deposits',
      everyMs: 500,
      run: sweepDue(
        clock,
        atOnce,
        (_, resting, limit) => listUnbooked(pool, resting, limit),
        async (payment) => {
          await confirm(rpcOf(payment.network), payment)
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
    {
      name: 'unpaid deposits',
      everyMs: 2_000,
      run: sweepDue(clock, atOnce, dueBy(pool, 'due_deposits'), async ({ environmentId, id }) => {
        const deposit = await withEnvironment(pool, environmentId, (tx) => findDeposit(tx, { id }))
        if (deposit === undefined) return
        // Coin that a contract sent is in no transaction of a block: the balance tells.
        if (await findUnseenCoin(tools, rpcOf(deposit.network), deposit)) return
        await endUnpaid(tools, deposit)
      }),
    },
  ]
}

type RawTransaction = { readonly blockNumber: string; readonly to: string; readonly value: string } | null

/** Where there are two nodes, money is credited when both say the same of it. */
async function confirm(rpc: Rpc, payment: Payment): Promise<void> {
  const { txHash, logIndex, token, address, amount, blockNumber } = payment
  if (rpc.nodes < 2 || logIndex === scannedIndex) return
  const isHere = (told: { readonly blockNumber: string } | null): boolean =>
    told !== null && BigInt(told.blockNumber) === blockNumber
  const areSame =
    token === coin
      ? (await rpc.askTwo<RawTransaction>('eth_getTransactionByHash', [txHash])).every(
          (told) => isHere(told) && told?.to.toLowerCase() === address && BigInt(told.value) === amount,
        )
      : (await rpc.askTwo<RawReceipt | null>('eth_getTransactionReceipt', [txHash])).every((told) => {
          const log = told?.logs.find((each) => Number(each.logIndex) === logIndex)
          const isSame = log?.address.toLowerCase() === token && log.topics[2]?.slice(26) === address.slice(2)
          return isHere(told) && isSame && BigInt(log.data) === amount
        })
  if (!areSame) throw chainError('CHAIN_DISAGREES', { txHash })
}

/** More coin at the address than we know of, at a block that is final. It counts as paid in time: nobody can say when it came. */
async function findUnseenCoin({ pool, clock, newId }: DepositTools, rpc: Rpc, deposit: Deposit): Promise<boolean> {
  const { id, networkId, address, expiresAt } = deposit
  const finality = await findFinality(pool, networkId)
  if (finality === undefined) return true
  const { number } = finality
  const balance = BigInt(await rpc.ask<string>('eth_getBalance', [address, toHex(number)]))
  const amount = balance - (await sumCoin(pool, id, coin, number))
  if (amount <= 0n) return false
  const movement = { txHash: `balance ${address} ${number}`, logIndex: scannedIndex, to: address, token: coin, amount }
  const found = { ...movement, id: newId(), ownerId: id }
  await inTransaction(pool, (tx) => savePayments(tx, networkId, { number, minedAt: expiresAt }, [found], clock()))
  return true
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
