import { coin, type RawReceipt, scannedIndex, transferOf } from './block.ts'
import { chainError } from './errors.ts'
import type { Rpc } from './rpc.ts'

/** A payment as one node reported it. */
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
 * With two nodes, a payment is credited only if both agree on its block, its status and its transfer. Coin that was
 * found by a balance was compared between nodes at that time.
 */
export async function confirmPayment(rpc: Rpc, payment: Payment): Promise<void> {
  const { txHash, logIndex, token } = payment
  if (rpc.nodes < 2 || logIndex === scannedIndex) return
  const receipts = await rpc.callTwo<RawReceipt | null>('eth_getTransactionReceipt', [txHash])
  const isAgreed = receipts.every(
    (receipt) =>
      isInBlock(receipt, payment) && receipt.status === '0x1' && (token === coin || hasTransfer(receipt, payment)),
  )
  if (!isAgreed || (token === coin && !(await isCoinAgreed(rpc, payment))))
    throw chainError('CHAIN_DISAGREES', { txHash })
}

function isInBlock<T extends { readonly blockNumber: string }>(found: T | null, { blockNumber }: Payment): found is T {
  return found !== null && BigInt(found.blockNumber) === blockNumber
}

function hasTransfer({ logs }: RawReceipt, { logIndex, token, address, amount }: Payment): boolean {
  const log = logs.find((each) => Number(each.logIndex) === logIndex)
  const transfer = log && transferOf(log)
  return transfer?.token === token && transfer.to === address && transfer.amount === amount
}

async function isCoinAgreed(rpc: Rpc, payment: Payment): Promise<boolean> {
  const found = await rpc.callTwo<RawTransaction | null>('eth_getTransactionByHash', [payment.txHash])
  return found.every(
    (each) =>
      isInBlock(each, payment) && each.to?.toLowerCase() === payment.address && BigInt(each.value) === payment.amount,
  )
}
