import Type from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { type LogoUrl, toWireCurrency, wireMoney } from '../../catalogue/currency/to-wire.ts'
import { wireCurrency } from '../../catalogue/currency/wire.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { answers, endpoints, secretKey } from '../../http/endpoint.ts'
import { answer } from '../../http/envelope.ts'
import type { Server } from '../../http/server.ts'
import { money } from '../../http/schema.ts'
import { findBook } from '../../ledger/book.ts'
import { readAvailable } from '../../ledger/store.ts'
import { readProfile } from './store.ts'

export type MerchantTools = { readonly pool: Pool; readonly clock: Clock; readonly logoUrl: LogoUrl }

const querystring = Type.Object({ currencyAbbreviation: Type.String({ minLength: 1, maxLength: 12 }) })

export function registerMerchantRoutes(server: Server, tools: MerchantTools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool } = tools
  api.get('/merchant-integrations/fetch-balance', secretKey('accountant', 'developer'), {
    summary: 'Get a balance',
    description: 'The available balance in one currency: the total less what is held.',
    querystring,
    response: answers({
      balance: money(),
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
      const caller = callerOf(request)
      const balance = await readBalance(tools, caller, 'merchant', request.query.currencyAbbreviation)
      const profile = await readProfile(pool, caller.merchantId)
      return answer('Your balance.', {
        ...balance,
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

  api.get('/merchant-integrations-server/admin-balance', secretKey('accountant', 'developer'), {
    summary: 'Get an admin balance',
    description:
      'The balance that pays redemption fees if takeChargesFromWallet is on. When it is too low for a fee, the voucher pays and you get the event admin_balance.low.',
    querystring,
    response: answers({ balance: money(), currency: wireCurrency }),
    handler: async (request) => {
      const { currencyAbbreviation } = request.query
      return answer(
        'Your admin balance.',
        await readBalance(tools, callerOf(request), 'merchant_admin', currencyAbbreviation),
      )
    },
  })
}

/** The available balance of one of the merchant's own accounts. An account that was never used has a balance of zero. */
async function readBalance(
  { pool, clock, logoUrl }: MerchantTools,
  { environmentId: ownerId, mode }: MerchantCaller,
  kind: 'merchant' | 'merchant_admin',
  abbreviation: string,
) {
  const currency = await findCurrency(pool, abbreviation.toUpperCase(), 'any', 'currencyAbbreviation')
  const bookId = await findBook(pool, mode, currency.code)
  const available = bookId === undefined ? 0n : await readAvailable(pool, { bookId, ownerId, kind }, clock())
  return { balance: wireMoney(available, currency), currency: toWireCurrency(currency, logoUrl) }
}
