import type { FastifyRequest } from 'fastify'
import { httpError } from '../http/errors.ts'
import { createLimit, networkOf } from '../http/limit.ts'
import Type from 'typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { withEnvironment } from '../base/environment.ts'
import { formatMoney, parseMoney } from '../base/money.ts'
import { chainError } from '../chain/errors.ts'
import { createRpc } from '../chain/rpc.ts'
import { chargeFields, toWireCharges } from '../charge/wire.ts'
import { findCurrency, listNetworks, pickCurrency, readCurrencies } from '../currency/store.ts'
import type { LogoUrl } from '../currency/wire.ts'
import { callerOf } from '../http/caller.ts'
import { answers, closed, endpoints, publicKey, sandbox, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { digitsOf, exactNumber, wireAmount } from '../http/exact-json.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { readMetadata } from '../transaction/metadata.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { depositError } from './errors.ts'
import { type DepositWish, priceDeposit } from './price.ts'
import { requestDeposit, type RequestTools } from './request.ts'
import { creditCase } from './resolve.ts'
import { outcomes, payDeposit } from './sandbox.ts'
import { findDeposit, listCases } from './store.ts'
import { toWireDeposit, wireCase, wireDeposit } from './wire.ts'

const code = Type.String({ minLength: 1, maxLength: 12 })
const asked = {
  amount: wireAmount('In major units of the currency that is asked for'),
  blockchainNetworkId: Type.String({ format: 'uuid' }),
  currency_abbreviation: code,
  pay_with_currency_abbreviation: code,
}

type Asked = { blockchainNetworkId: string; currency_abbreviation: string; pay_with_currency_abbreviation: string }

function readWish(body: Asked): DepositWish {
  return {
    amount: digitsOf(body, 'amount') ?? '',
    currency: body.currency_abbreviation.toUpperCase(),
    payWith: body.pay_with_currency_abbreviation.toUpperCase(),
    networkId: body.blockchainNetworkId.toLowerCase(),
  }
}

const visitorAddressesAnHour = 60

type Tools = RequestTools & { readonly logoUrl: LogoUrl }

export function registerDepositRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Payment by wallet address deposit'])
  const { pool, clock, newId, logoUrl } = tools

  api.post('/merchant-integrations/request-wallet-deposit-charges', publicKey('cashier'), {
    summary: 'Tells what a deposit would cost',
    description: 'From what is asked for to what has to be paid: totalDeductable is what the payer deposits.',
    body: closed(asked),
    response: answers(chargeFields),
    handler: async (request) => {
      const priced = await priceDeposit(tools, callerOf(request), readWish(request.body))
      const { asked: due, pay, price, terms, swap, fee, gas, chargesInWei, toDeposit } = priced
      const facts = { amount: swap, toAmount: due.minor, charge: fee, gas, chargesInWei, deducted: toDeposit }
      const { sharePpm } = terms.rule
      return answer(
        'The charges.',
        toWireCharges({ ...facts, currency: pay, to: due.currency, price, sharePpm }, logoUrl),
      )
    },
  })

  // Each address is watched for ever. A visitor with the public key gets few of them, and counts for nobody else.
  const visitors = createLimit(tools.clock, visitorAddressesAnHour, 3_600_000)
  const refuseTooMany = (request: FastifyRequest): void => {
    const { keyId, hasSecret } = callerOf(request)
    if (hasSecret) return
    const { isWithin, secondsLeft } = visitors.count(`${keyId} ${networkOf(request.ip)}`)
    if (!isWithin) throw httpError('RATE_LIMITED', { retryAfterSeconds: secondsLeft })
  }
  api.post('/merchant-integrations/deposit-address-payment-request', publicKey('cashier'), {
    summary: 'Asks for a payment onchain, to an address of its own',
    description:
      'The price holds for 15 minutes. If the market is worse by more than the tolerance when a payment is first seen in a block, the amount still due is recalculated at that rate (event deposit.repriced). Follow it with verify-transaction or the deposit.* events. Late, short, excess or wrong-currency payments are never lost: they wait as unmatched deposits.',
    body: closed({
      ...asked,
      metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
      reference_id: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    response: answers(wireDeposit),
    handler: async (request, reply) => {
      const { metadata = {}, reference_id } = request.body
      refuseTooMany(request)
      const reference = takeReference(request, reply, reference_id, newId, 'reference_id')
      const ask = { ...readWish(request.body), metadata: readMetadata(metadata), reference }
      const made = await requestDeposit(tools, callerOf(request), ask)
      tellReplayed(reply, made)
      const { deposit } = made
      const network = (await listNetworks(pool)).find(({ id }) => id === deposit.networkId)
      if (network === undefined) throw depositError('DEPOSIT_NETWORK_UNKNOWN')
      const pay = await findCurrency(pool, deposit.payCurrency, 'any')
      return answer(
        'The address to pay to.',
        toWireDeposit(deposit, pay, network, logoUrl('network', network.abbreviation)),
      )
    },
  })

  api.get('/merchant-integrations-server/deposit-cases', secretKey('accountant'), {
    summary: 'Lists money that came in and was not what was asked for, newest first',
    querystring: Type.Object(cursorQuery),
    response: answers({ cases: Type.Array(wireCase), nextCursor: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) => listCases(tx, readCursor(cursor), limit))
      const catalogue = await readCurrencies(pool)
      const cases = found.map(({ id, reference, kind, amount, currency, openedAt, resolvedAt, resolution }) => ({
        ...{ id, reference, kind, currency, resolution },
        amount: exactNumber(formatMoney({ minor: amount, currency: pickCurrency(catalogue, currency, 'any') })),
        openedAt: openedAt.toISOString(),
        resolvedAt: resolvedAt?.toISOString() ?? '',
      }))
      return answer('Your cases.', { cases, nextCursor: nextCursorOf(found, limit) })
    },
  })
  api.post('/merchant-integrations-server/deposit-cases/:id/credit', secretKey('accountant'), {
    operationId: 'credit-deposit-case',
    summary: 'Takes the money of a case onto your balance, in the currency that was paid',
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    handler: async (request) => {
      await creditCase(tools, callerOf(request), request.params.id.toLowerCase())
      return acknowledge('It is on your balance.')
    },
  })

  api.post('/sandbox/deposits/:reference/pay', sandbox, {
    operationId: 'pay-sandbox-deposit',
    summary: 'Pays a deposit on the local network, with the outcome that you name',
    params: Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) }),
    body: closed({
      amount: Type.Optional(wireAmount('In the currency that is paid with')),
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds' })),
      outcome: Type.Optional(Type.Union(outcomes.map((outcome) => Type.Literal(outcome)))),
    }),
    response: answers({ transactionHash: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { after = 0, outcome = 'exact' } = request.body
      const by = { reference: request.params.reference }
      const deposit = await withEnvironment(pool, environmentId, (tx) => findDeposit(tx, by))
      if (deposit === undefined) throw depositError('DEPOSIT_NOT_FOUND')
      const urls = tools.nodes[deposit.network]
      if (urls === undefined) throw chainError('CHAIN_UNWATCHED')
      const digits = digitsOf(request.body, 'amount')
      const pay = await findCurrency(pool, deposit.payCurrency, 'any')
      const amount = digits === undefined ? undefined : parseMoney(digits, pay).minor
      await sleep(after * 1_000)
      const transactionHash = await payDeposit(tools, createRpc(urls, clock), deposit, outcome, amount)
      return answer('It is paid.', { transactionHash })
    },
  })
}
