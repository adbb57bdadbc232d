import { actFor } from '../../base/environment.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import type { PostTools } from '../../ledger/batch.ts'
import type { Posted } from '../../ledger/journal.ts'
import { once, postNew } from '../../ledger/once.ts'
import { type Funding, fundingOf } from '../../identity/merchant/fund.ts'
import type { Environment } from '../../identity/merchant/keys.ts'
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
  const { key, requestFingerprint } = journal
  return once(
    tools,
    { key, requestFingerprint },
    {
      retell: (posted) => posted,
      prepare: async () => {
        const currency = await findCurrency(tools.pool, input.currency, 'any')
        const { minor } = parseAmount(input.amount, currency)
        return {
          lock: async (tx) => {
            await actFor(tx, environmentId)
            return lockShop(tx, environmentId)
          },
          post: async (tx, locked) => {
            await countOutflow(tools, tx, environmentId, locked, { amount: minor, currency })
            return postNew(tx, journal, tools)
          },
        }
      },
    },
  )
}
