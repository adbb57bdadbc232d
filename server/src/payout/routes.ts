import Type from 'typebox'
import { parseMoney } from '../base/money.ts'
import { findCurrency } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, secretKey } from '../http/endpoint.ts'
import { acknowledge, acknowledged } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import type { OutflowTools } from '../outflow/request.ts'
import { answerPending, pendingResponse } from '../outflow/wire.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { confirmStaff, type PinTools } from '../user/pin.ts'
import type { CountPeople } from '../user/quota.ts'
import { wirePin } from '../user/routes.ts'
import { payOut } from './pay-out.ts'

const code = Type.String({ minLength: 1, maxLength: 12 })

export function registerPayoutRoutes(
  server: Server,
  tools: OutflowTools & PinTools & { readonly countPeople: CountPeople },
): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  api.post('/merchant-integrations-server/payout', secretKey('accountant'), {
    summary: 'Pay out to a user from your balance',
    description:
      'The amount is in the currency that it is paid from. Above your approval threshold, or to a new recipient in live mode, the payout waits with its amount held and the response has status "PENDING". Follow it with verify-transaction or the payout.* and outflow.* events.',
    body: closed({
      amount: wireAmount('In major units of the currency that it is paid from'),
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      fromCurrencyAbbreviation: code,
      toCurrencyAbbreviation: code,
      referenceId: Type.Optional(Type.String({ maxLength: 200 })),
      platformUsernameOrEmail: Type.String({ minLength: 1, maxLength: 254 }),
      blockchainNetworkAbbreviation: Type.Optional(Type.String({ maxLength: 20 })),
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([acknowledged, pendingResponse]) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmStaff(tools, request, body.pin)
      tools.countPeople(request, body.platformUsernameOrEmail)
      const reference = takeReference(request, reply, body.referenceId, tools.newId)
      const amount = digitsOf(body, 'amount') ?? ''
      const from = body.fromCurrencyAbbreviation.toUpperCase()
      const requested = await payOut(tools, callerOf(request), {
        amount,
        from,
        to: body.toCurrencyAbbreviation.toUpperCase(),
        identifier: body.platformUsernameOrEmail,
        network: body.blockchainNetworkAbbreviation?.toUpperCase(),
        metadata: body.metaData ?? '',
        reference,
      })
      tellReplayed(reply, requested)
      if (requested.status === 'done') return acknowledge('The payout was made.')
      const currency = await findCurrency(tools.pool, from, 'any')
      return answerPending(requested, reference, parseMoney(amount, currency).minor, currency)
    },
  })
}
