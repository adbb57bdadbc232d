import Type from 'typebox'
import type { Tx } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { wireOneTimeCode, wirePin } from '../../identity/user/routes.ts'
import type { ConfirmOwner } from '../../identity/user/second-factor.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { readShop } from '../../payments/outflow/store.ts'
import { readLimits, saveLimit, sellers } from './limit.ts'
import { wireSaleLimits } from './wire.ts'

// An amount, or "none". Left out, the limit stays.
const limit = Type.Optional(wireAmount('In major units of the home currency, or "none"', 'none'))

export type SaleLimitTools = Pick<PostTools, 'pool' | 'clock'> & { readonly confirmOwner: ConfirmOwner }

/** What each key and each staff member may sell in 24 hours. Not for API keys: the limits bound the damage of a stolen one. */
export function registerSaleLimits(server: Server, tools: SaleLimitTools): void {
  const api = endpoints(server)
  const { pool } = tools

  const readAll = async (tx: Tx, environmentId: string) => {
    const shop = await readShop(tx, environmentId)
    const limits = await readLimits(tools, tx, environmentId, shop)
    const currency = await findCurrency(tx, shop.homeCurrency, 'any')
    const show = (minor: bigint | null): string => (minor === null ? 'none' : formatMoney({ minor, currency }))
    const { key, owner, accountant, cashier } = limits
    return {
      currency: currency.code,
      ...{ key: show(key), owner: show(owner), accountant: show(accountant), cashier: show(cashier) },
    }
  }

  api.get('/merchant/sale-limits', staff('accountant'), {
    response: { 200: enveloped(wireSaleLimits) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const limits = await withEnvironment(pool, environmentId, (tx) => readAll(tx, environmentId))
      return answer('The sale limits for 24 hours.', limits)
    },
  })

  api.post('/merchant/sale-limits', staff(), {
    body: closed({
      ...{ key: limit, owner: limit, accountant: limit, cashier: limit },
      pin: Type.Optional(wirePin),
      oneTimeCode: Type.Optional(wireOneTimeCode),
    }),
    response: { 200: enveloped(wireSaleLimits) },
    handler: async (request) => {
      const { body } = request
      const { environmentId, mode } = callerOf(request)
      await tools.confirmOwner(request, mode, body)
      const limits = await withEnvironment(pool, environmentId, async (tx) => {
        const currency = await findCurrency(tx, (await readShop(tx, environmentId)).homeCurrency, 'any')
        for (const seller of sellers) {
          const text = digitsOf(body, seller)
          if (text === undefined) continue
          await saveLimit(tx, environmentId, seller, text === 'none' ? null : parseMoney(text, currency, seller).minor)
        }
        return readAll(tx, environmentId)
      })
      return answer('The sale limits are saved.', limits)
    },
  })
}
