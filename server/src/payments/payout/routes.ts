import Type from 'typebox'
import { formatMoney, parseMoney } from '../../base/money.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { wireMoney } from '../../catalogue/currency/to-wire.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey, staff } from '../../http/endpoint.ts'
import { closed, money, named, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import type { Server } from '../../http/server.ts'
import type { OutflowTools } from '../outflow/request.ts'
import { answerPending } from '../outflow/to-wire.ts'
import { pendingResponse } from '../outflow/wire.ts'
import { takeReference } from '../transaction/reference.ts'
import { wireReference } from '../transaction/wire.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import { payOut } from './pay-out.ts'
import { type PayoutPreview, previewPayout } from './preview.ts'
import { wirePayoutPreview } from './wire.ts'

const code = Type.String({ minLength: 1, maxLength: 12 })
const wireDone = named('Payout', {
  id: Type.String({ format: 'uuid' }),
  referenceId: Type.String(),
  status: Type.Literal('COMPLETED'),
  amount: money(),
  currency: Type.String(),
})

const terms = {
  amount: wireAmount('In major units of the currency that the payout is paid from'),
  fromCurrencyAbbreviation: code,
  toCurrencyAbbreviation: code,
}

export function registerPayoutRoutes(
  server: Server,
  tools: OutflowTools & PinTools & { readonly countUserLookups: CountUserLookups },
): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  api.post('/merchant-integrations-server/payout', secretKey('accountant'), {
    summary: 'Create a payout',
    headers: idempotencyHeader,
    description:
      'The amount is in the currency that it is paid from. A payout can wait with its amount held: above your approval threshold the status is PENDING, to a new recipient in live mode APPROVED with notBefore. data.status is the status of the transaction: COMPLETED, PENDING, APPROVED or CANCELED. Follow it with verify-transaction or the payout.* and outflow.* events.',
    body: closed({
      ...terms,
      metaData: Type.Optional(Type.String({ maxLength: 4_096 })),
      referenceId: Type.Optional(wireReference),
      platformUsernameOrEmail: Type.String({
        minLength: 1,
        maxLength: 254,
        description:
          'Or a phone number, which finds the same user as confirm-user. Each payout to a phone number waits as for a new recipient',
      }),
      blockchainNetworkAbbreviation: Type.Optional(Type.String({ maxLength: 20 })),
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wireDone), pendingResponse]) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmStaff(tools, request, body.pin)
      await tools.countUserLookups(request, body.platformUsernameOrEmail)
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
      markReplayed(reply, requested)
      const currency = await findCurrency(tools.pool, from, 'any')
      if (requested.status === 'done') {
        const money = { amount: wireMoney(parseMoney(amount, currency).minor, currency), currency: from }
        const { id } = requested
        return answer('The payout was made.', { id, referenceId: reference, status: 'COMPLETED', ...money })
      }
      return answerPending(requested, reference, parseMoney(amount, currency).minor, currency)
    },
  })

  api.post('/merchant/payouts/preview', staff('accountant'), {
    body: closed({ ...terms, platformUsernameOrEmail: Type.String({ minLength: 1, maxLength: 254 }) }),
    response: { 200: enveloped(wirePayoutPreview) },
    handler: async (request) => {
      const { body } = request
      await tools.countUserLookups(request, body.platformUsernameOrEmail)
      const preview = await previewPayout(tools, callerOf(request), {
        amount: digitsOf(body, 'amount') ?? '',
        from: body.fromCurrencyAbbreviation.toUpperCase(),
        to: body.toCurrencyAbbreviation.toUpperCase(),
        identifier: body.platformUsernameOrEmail,
      })
      return answer('Nothing was paid yet.', toWirePreview(preview))
    },
  })
}

function toWirePreview({ recipient, from, to, amount, gets, available, outflow, waitHours }: PayoutPreview) {
  const money = (minor: bigint): string => formatMoney({ minor, currency: from })
  return {
    name: recipient.name,
    isNew: !recipient.isKnown,
    pays: money(amount),
    fromCurrency: from.code,
    gets: formatMoney({ minor: gets, currency: to }),
    toCurrency: to.code,
    available: money(available),
    remains: available < amount ? '' : money(available - amount),
    outflow,
    waitHours,
  }
}
