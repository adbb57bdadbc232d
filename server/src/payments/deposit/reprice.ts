import type { Tx } from '../../base/db.ts'
import { divide, formatMoney, type Rate } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { findPrice, hasMovedAgainstDesk } from '../../catalogue/exchange/price.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { publishEvents } from '../../ledger/outbox.ts'
import { isDue } from './confirming.ts'
import { roundUpToDouble } from './double-safe.ts'
import { depositEvent } from './events.ts'
import { type Deposit, markPriced, type Payment, savePrice, sumPriced } from './store.ts'

/**
 * Compares a deposit's price with the market when a payment is first seen in a block. If the market has moved against
 * the exchange desk by more than the tolerance, recalculates the amount still due at the current rate; earlier
 * payments keep their price. The caller has locked the deposit. Returns it with its new price.
 */
export async function priceSeenPayment(tools: PostTools, tx: Tx, deposit: Deposit, payment: Payment): Promise<Deposit> {
  const { clock } = tools
  if (!(await markPriced(tx, payment, clock()))) return deposit
  if (!isDue(deposit, payment)) return deposit
  const repriced = await repriceRest(tools, tx, deposit, await sumPriced(tx, deposit, payment))
  if (repriced.toDeposit === deposit.toDeposit) return deposit
  await savePrice(tx, deposit.id, repriced)
  await publishNewPrice(tools, tx, repriced)
  return repriced
}

async function repriceRest({ clock }: PostTools, tx: Tx, deposit: Deposit, priced: bigint): Promise<Deposit> {
  if (deposit.payCurrency === deposit.currency) return deposit
  const then: Rate = { numerator: deposit.rateNumerator, denominator: deposit.rateDenominator }
  const now = await findPrice(tx, deposit.payCurrency, deposit.currency, clock)
  const rest = deposit.toDeposit - priced
  if (rest <= 0n || !hasMovedAgainstDesk(then, now)) return deposit
  const units = divide(
    rest * then.numerator * now.rate.denominator,
    then.denominator * now.rate.numerator * deposit.unit,
    'up',
  )
  return {
    ...deposit,
    toDeposit: roundUpToDouble(priced + units * deposit.unit),
    rateNumerator: now.rate.numerator,
    rateDenominator: now.rate.denominator,
  }
}

async function publishNewPrice(tools: PostTools, tx: Tx, deposit: Deposit): Promise<void> {
  const { environmentId, id, reference, payCurrency, toDeposit } = deposit
  const currency = await findCurrency(tx, payCurrency, 'any')
  const data = {
    depositId: id,
    reference,
    amountToDeposit: formatMoney({ minor: toDeposit, currency }),
    currency: currency.code,
  }
  const about = { id: tools.newId(), sequence: 1 }
  await publishEvents(tx, [depositEvent('deposit.repriced', { environmentId, about }, data)], tools)
}
