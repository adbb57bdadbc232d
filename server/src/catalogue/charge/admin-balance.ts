import { withEnvironment } from '../../base/environment.ts'
import { formatMoney, type Money } from '../../base/money.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Account } from '../../ledger/account.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { chargeEvent } from './events.ts'
import { insertLowAlert } from './store.ts'

type UnpaidFee = {
  readonly environmentId: string
  readonly bookId: number
  readonly fee: Money
  /** The reference of the redemption. */
  readonly reference: string
}

/** The account that pays fees for a merchant with `takeChargesFromWallet`. */
export function adminAccount(environmentId: string, bookId: number): Account {
  return { bookId, ownerId: environmentId, kind: 'merchant_admin' }
}

/**
 * Publishes that the admin balance did not cover a fee: once, until the balance is funded again. Runs after the redemption was
 * committed. If it fails, the next redemption that finds the balance too low publishes the event.
 */
export async function alertLowBalance(tools: PostTools, unpaid: UnpaidFee): Promise<void> {
  const { environmentId, bookId, fee, reference } = unpaid
  const { currency } = fee
  await withEnvironment(tools.pool, environmentId, async (tx) => {
    const balance = await insertLowAlert(tx, adminAccount(environmentId, bookId), fee.minor, tools.clock())
    if (balance === undefined) return
    const about = { id: tools.newId(), sequence: 1 }
    const data = { currency: currency.code, balance: formatMoney({ minor: balance, currency }), fee: formatMoney(fee) }
    await publishEvents(tx, [chargeEvent('admin_balance.low', { environmentId, about }, { ...data, reference })], tools)
  })
}
