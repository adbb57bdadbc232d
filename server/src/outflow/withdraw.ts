import { inTransaction } from '../base/db.ts'
import { actFor } from '../base/environment.ts'
import { parseAmount } from '../currency/amount.ts'
import { findCurrency } from '../currency/store.ts'
import { type PostTools, postWithin } from '../ledger/batch.ts'
import type { Posted } from '../ledger/journal.ts'
import { findPosted } from '../ledger/store.ts'
import { type Funding, fundingOf } from '../merchant/fund.ts'
import type { Environment } from '../merchant/keys.ts'
import { countOutflow } from './request.ts'
import { lockShop } from './store.ts'

/**
 * Records money that the operator paid to a merchant outside of Scrip. It is counted in the rolling day and never
 * waits.
 */
export async function withdrawFromMerchant(
  tools: PostTools,
  shop: Environment,
  input: Omit<Funding, 'direction'>,
): Promise<Posted> {
  const { environmentId } = shop
  const journal = await fundingOf(tools, shop, { ...input, direction: 'out' })
  return inTransaction(tools.pool, async (tx) => {
    await actFor(tx, environmentId)
    const locked = await lockShop(tx, environmentId)
    const known = await findPosted(tx, journal.key, journal.requestFingerprint)
    if (known !== undefined) return known
    const currency = await findCurrency(tx, input.currency, 'any')
    await countOutflow(tools, tx, environmentId, locked, {
      amount: parseAmount(input.amount, currency).minor,
      currency,
    })
    return postWithin(tx, journal, tools)
  })
}
