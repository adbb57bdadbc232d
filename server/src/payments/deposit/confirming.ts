import type { Tx } from '../../base/db.ts'
import { formatMoney } from '../../base/money.ts'
import { findTip } from '../../chain/store.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { findReceipts } from '../transaction/receipts.ts'
import { moveTransaction } from '../transaction/store.ts'
import { aboutOf, depositEvent } from './events.ts'
import { toDepositPayload } from './payload.ts'
import type { Deposit, Payment } from './store.ts'

/** A payment that counts towards an open deposit: in its token and in time. */
export function isDue({ token, expiresAt, endedAt }: Deposit, payment: Payment): boolean {
  return payment.token === token && payment.minedAt <= expiresAt && endedAt === null
}

/**
 * Sets a deposit to PROCESSING when its first payment is seen in a block, and publishes it. It stays PROCESSING if a reorganisation
 * removes the payment. The caller has locked the deposit. Returns it with its new status.
 */
export async function markConfirming(tools: PostTools, tx: Tx, deposit: Deposit, payment: Payment): Promise<Deposit> {
  if (deposit.status !== 'PENDING' || !isDue(deposit, payment)) return deposit
  const receipt = (await findReceipts(tx, [deposit.id])).get(deposit.id)
  // A reorganisation may have removed the payment since it was listed.
  if (receipt === undefined || receipt.received === 0n) return deposit
  await moveTransaction(tx, deposit, 'PROCESSING', tools.clock())
  const pay = await findCurrency(tx, deposit.payCurrency, 'any')
  const tip = await findTip(tx, deposit.networkId)
  const confirmations = tip === undefined ? 0n : tip.number - payment.blockNumber + 1n
  const data = {
    ...(await toDepositPayload(tx, deposit)),
    received: formatMoney({ minor: receipt.received, currency: pay }),
    amountToDeposit: formatMoney({ minor: deposit.toDeposit, currency: pay }),
    payCurrency: pay.code,
    confirmations: Number(confirmations > 0n ? confirmations : 0n),
  }
  await publishEvents(tx, [depositEvent('deposit.confirming', aboutOf(deposit, 1), data)], tools)
  return { ...deposit, status: 'PROCESSING' }
}
