import type { Tx } from '../base/db.ts'
import { divide, formatMoney, type Rate } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import { findPrice, hasMovedAgainstDesk } from '../exchange/price.ts'
import type { PostTools } from '../ledger/batch.ts'
import { tell } from '../ledger/store.ts'
import { depositEvent } from './events.ts'
import { type Deposit, markPriced, type Payment, savePrice, sumPriced } from './store.ts'

/**
 * Compares a deposit's price with the market when a payment for it is first seen in a block. If the market has moved against the desk
 * by more than the tolerance, what is still due is recalculated at the rate of now: what was paid before keeps its own price. Returns
 * the deposit as it is then, which the caller has locked.
 */
export async function priceSeenPayment(tools: PostTools, tx: Tx, deposit: Deposit, payment: Payment): Promise<Deposit> {
  const { clock } = tools
  if (!(await markPriced(tx, payment, clock()))) return deposit
  const isDue = payment.token === deposit.token && payment.minedAt <= deposit.expiresAt && deposit.endedAt === null
  if (!isDue) return deposit
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
    toDeposit: priced + units * deposit.unit,
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
  await tell(tx, [depositEvent('deposit.repriced', { environmentId, about }, data)], tools)
}
