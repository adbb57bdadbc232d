import { coin, type RawReceipt, scannedIndex, transferOf } from './block.ts'
import { chainError } from './errors.ts'
import type { Rpc } from './rpc.ts'

/** What was read of a payment from one node. */
type Payment = {
  readonly txHash: string
  readonly logIndex: number
  readonly token: string
  readonly address: string
  readonly amount: bigint
  readonly blockNumber: bigint
}
type RawTransaction = { readonly blockNumber: string; readonly to: string | null; readonly value: string }

/**
 * Where there are two nodes, money is credited when both say the same of it: that its transaction is in that block and was not
 * reverted, and what it moved. Coin that was found by a balance was compared when it was found.
 */
export async function confirmPayment(rpc: Rpc, payment: Payment): Promise<void> {
  const { txHash, logIndex, token } = payment
  if (rpc.nodes < 2 || logIndex === scannedIndex) return
  const receipts = await rpc.askTwo<RawReceipt | null>('eth_getTransactionReceipt', [txHash])
  const isAgreed = receipts.every(
    (receipt) =>
      isInBlock(receipt, payment) && receipt.status === '0x1' && (token === coin || hasTransfer(receipt, payment)),
  )
  if (!isAgreed || (token === coin && !(await isCoinAgreed(rpc, payment))))
    throw chainError('CHAIN_DISAGREES', { txHash })
}

function isInBlock<T extends { readonly blockNumber: string }>(told: T | null, { blockNumber }: Payment): told is T {
  return told !== null && BigInt(told.blockNumber) === blockNumber
}

function hasTransfer({ logs }: RawReceipt, { logIndex, token, address, amount }: Payment): boolean {
  const log = logs.find((each) => Number(each.logIndex) === logIndex)
  const transfer = log && transferOf(log)
  return transfer?.token === token && transfer.to === address && transfer.amount === amount
}

async function isCoinAgreed(rpc: Rpc, payment: Payment): Promise<boolean> {
  const told = await rpc.askTwo<RawTransaction | null>('eth_getTransactionByHash', [payment.txHash])
  return told.every(
    (each) =>
      isInBlock(each, payment) && each.to?.toLowerCase() === payment.address && BigInt(each.value) === payment.amount,
  )
}
