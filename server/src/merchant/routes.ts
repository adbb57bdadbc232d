import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { type LogoUrl, toWireCurrency, wireCurrency, wireMoney } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, endpoints, secretKey } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { readMerchantBalance } from './balance.ts'

export type MerchantTools = { readonly pool: Pool; readonly clock: Clock; readonly logoUrl: LogoUrl }

export function registerMerchantRoutes(server: Server, { pool, clock, logoUrl }: MerchantTools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  api.get('/merchant-integrations/fetch-balance', secretKey('accountant', 'developer'), {
    summary: 'Tells what you can dispose of in a currency: your balance less what is held',
    querystring: Type.Object({ currencyAbbreviation: Type.String({ minLength: 1, maxLength: 12 }) }),
    response: answers({
      balance: Type.Number(),
      currency: wireCurrency,
      merchant: Type.Object({
        avatar: Type.String(),
        companyName: Type.String(),
        merchantCode: Type.String(),
        merchantDescription: Type.String(),
        tradingName: Type.String(),
      }),
    }),
    handler: async (request) => {
      const code = request.query.currencyAbbreviation.toUpperCase()
      const { available, currency, profile } = await readMerchantBalance(pool, callerOf(request), code, clock)
      return answer('Your balance.', {
        balance: wireMoney(available, currency),
        currency: toWireCurrency(currency, logoUrl),
        merchant: {
          avatar: profile.avatar,
          companyName: profile.companyName,
          merchantCode: profile.code,
          merchantDescription: profile.description,
          tradingName: profile.tradingName,
        },
      })
    },
  })
}
