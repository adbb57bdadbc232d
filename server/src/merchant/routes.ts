import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { findCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireCurrency, wireMoney } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, endpoints, secretKey } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { findBook } from '../ledger/book.ts'
import { readAvailable } from '../ledger/store.ts'
import { readProfile } from './store.ts'

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
      const { merchantId, environmentId: ownerId, mode } = callerOf(request)
      const currency = await findCurrency(pool, code, 'any')
      const bookId = await findBook(pool, mode, code)
      // An account that was never used has nothing.
      const account = bookId === undefined ? undefined : ({ bookId, ownerId, kind: 'merchant' } as const)
      const available = account === undefined ? 0n : await readAvailable(pool, account, clock())
      const profile = await readProfile(pool, merchantId)
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
