import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import { formatMoney } from '../base/money.ts'
import { type LogoUrl, toWireCurrency, wireCurrency } from '../currency/wire.ts'
import { callerOf, idempotencyKeyOf } from '../http/caller.ts'
import { acknowledge, acknowledged, answer, enveloped } from '../http/envelope.ts'
import { digitsOf, exactNumber, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import { readMerchantBalance } from './balance.ts'
import { fundMerchant, type FundTools } from './fund.ts'

export type MerchantTools = FundTools & { readonly clock: Clock; readonly logoUrl: LogoUrl }

export function registerMerchantRoutes({ app }: Server, tools: MerchantTools): void {
  const { pool, clock, logoUrl } = tools
  app.get(
    '/merchant-integrations/fetch-balance',
    {
      config: { credentials: 'secret', roles: ['accountant', 'developer'] },
      schema: {
        summary: 'Tells what you can dispose of in a currency: your balance less what is held',
        tags: ['Transactions, payouts, balance'],
        querystring: Type.Object({ currencyAbbreviation: Type.String({ minLength: 1, maxLength: 12 }) }),
        response: {
          200: enveloped(
            Type.Object({
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
          ),
        },
      },
    },
    async (request) => {
      const code = request.query.currencyAbbreviation.toUpperCase()
      const { available, currency, profile } = await readMerchantBalance(pool, callerOf(request), code, clock)
      return answer('Your balance.', {
        balance: exactNumber(formatMoney(available)),
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
  )

  app.post(
    '/sandbox/fund',
    {
      config: { credentials: 'secret', roles: ['developer'], isSandbox: true },
      schema: {
        operationId: 'sandbox-fund',
        summary: 'Puts play money on your balance or your admin account',
        tags: ['Sandbox'],
        body: Type.Object(
          {
            currency: Type.String({ minLength: 1, maxLength: 12 }),
            amount: wireAmount('In major units'),
            account: Type.Optional(Type.Union([Type.Literal('balance'), Type.Literal('admin')])),
          },
          { additionalProperties: false },
        ),
        response: { 200: acknowledged },
      },
    },
    async (request) => {
      const { currency, account = 'balance' } = request.body
      await fundMerchant(tools, callerOf(request), {
        direction: 'in',
        account,
        currency: currency.toUpperCase(),
        amount: digitsOf(request.body, 'amount') ?? '',
        reference: idempotencyKeyOf(request) ?? tools.newId(),
      })
      return acknowledge('The money is there.')
    },
  )
}
