import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { setTimeout as sleep } from 'node:timers/promises'
import { withEnvironment } from '../../base/environment.ts'
import { parseMoney } from '../../base/money.ts'
import { chainError } from '../../chain/errors.ts'
import { createRpc } from '../../chain/rpc.ts'
import { toWireCharges } from '../../catalogue/charge/to-wire.ts'
import { chargeFields } from '../../catalogue/charge/wire.ts'
import { findCurrency, listNetworks, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import type { LogoUrl } from '../../catalogue/currency/to-wire.ts'
import { callerOf } from '../../http/caller.ts'
import { answers, endpoints, publicKey, sandbox, secretKey } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { type CreateLimit, networkOf, refuseAbove } from '../../http/limit.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import { readMetadata } from '../transaction/metadata.ts'
import { takeReference } from '../transaction/reference.ts'
import { wireReference } from '../transaction/wire.ts'
import { depositError } from './errors.ts'
import { type DepositInput, priceDeposit } from './price.ts'
import { requestDeposit, type RequestTools } from './request.ts'
import { readCase } from './read-case.ts'
import { creditCase, matchCase } from './resolve.ts'
import { outcomes, payDeposit } from './sandbox.ts'
import { findDeposit, listCases } from './store.ts'
import { significantDigits, toWireCase, toWireCaseDetail, toWireDeposit } from './to-wire.ts'
import { amountToDepositExact, caseStates, wireCaseDetail, wireCases, wireDeposit } from './wire.ts'

const code = Type.String({ minLength: 1, maxLength: 12 })
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const depositBody = {
  amount: wireAmount('In major units of the requested currency'),
  blockchainNetworkId: Type.String({ format: 'uuid' }),
  currency_abbreviation: code,
  pay_with_currency_abbreviation: code,
}

type DepositBody = {
  blockchainNetworkId: string
  currency_abbreviation: string
  pay_with_currency_abbreviation: string
}

function readInput(body: DepositBody): DepositInput {
  return {
    amount: digitsOf(body, 'amount') ?? '',
    currency: body.currency_abbreviation.toUpperCase(),
    payWith: body.pay_with_currency_abbreviation.toUpperCase(),
    networkId: body.blockchainNetworkId.toLowerCase(),
  }
}

const visitorAddressesAnHour = 60

type Tools = RequestTools & { readonly logoUrl: LogoUrl; readonly createLimit: CreateLimit }

export function registerDepositRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Payment by wallet address deposit'])
  const { pool, clock, newId, logoUrl } = tools

  api.post('/merchant-integrations/request-wallet-deposit-charges', publicKey('cashier'), {
    summary: 'Quote a crypto deposit',
    description: 'totalDeductable is the amount that the payer deposits, including fees.',
    body: closed(depositBody),
    response: answers({ ...chargeFields, amountToDepositExact }),
    handler: async (request) => {
      const priced = await priceDeposit(tools, callerOf(request), readInput(request.body))
      const { due, pay, price, terms, swap, fee, gas, chargesInWei, toDeposit } = priced
      const facts = { amount: swap, toAmount: due.minor, charge: fee, gas, chargesInWei, deducted: toDeposit }
      const { sharePpm } = terms.rule
      return answer('The charges.', {
        ...toWireCharges({ ...facts, currency: pay, to: due.currency, price, sharePpm }, logoUrl),
        amountToDepositExact: significantDigits({ minor: toDeposit, currency: pay }),
      })
    },
  })

  // Each address is watched for ever, so requests with the public key are limited, by key and network address.
  const visitors = tools.createLimit('deposit-address', visitorAddressesAnHour, 3_600_000)
  const refuseTooMany = async (request: FastifyRequest): Promise<void> => {
    const { keyId, hasSecret } = callerOf(request)
    if (hasSecret) return
    refuseAbove(await visitors.count(`${keyId} ${networkOf(request.ip)}`))
  }
  api.post('/merchant-integrations/deposit-address-payment-request', publicKey('cashier'), {
    summary: 'Request a crypto deposit',
    headers: idempotencyHeader,
    description:
      'The price holds for 15 minutes. If the market is worse by more than the tolerance when a payment is first seen in a block, the amount still due is recalculated at that rate (event deposit.repriced). Follow it with verify-transaction or the deposit.* events. Late, short, excess or wrong-currency payments are never lost: they wait as unmatched deposits.',
    body: closed({
      ...depositBody,
      metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
      reference_id: Type.Optional(wireReference),
    }),
    response: answers(wireDeposit),
    handler: async (request, reply) => {
      const { metadata, reference_id } = request.body
      await refuseTooMany(request)
      const reference = takeReference(request, reply, reference_id, newId, 'reference_id')
      const input = { ...readInput(request.body), metadata: readMetadata(metadata), reference }
      const made = await requestDeposit(tools, callerOf(request), input)
      markReplayed(reply, made)
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
    summary: 'List unmatched deposits',
    description: 'Payments that do not match a request, newest first.',
    querystring: Type.Object({
      ...cursorQuery,
      state: Type.Optional(Type.Enum(caseStates, { title: 'DepositCaseState', description: 'Left out: all' })),
    }),
    response: { 200: enveloped(wireCases) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, state } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listCases(tx, environmentId, state, readCursor(cursor), limit + 1),
      )
      const catalogue = await readCurrencies(pool)
      const { page, continuation } = cutPage(found, limit)
      const cases = page.map((each) => toWireCase(each, pickCurrency(catalogue, each.currency, 'any')))
      return answer('Your cases.', { cases, ...continuation })
    },
  })
  api.get('/merchant-integrations-server/deposit-cases/:id', secretKey('accountant'), {
    operationId: 'fetch-deposit-case',
    summary: 'Get an unmatched deposit',
    description: 'With the request that it was paid for and the payments that the network shows.',
    params: byId,
    response: { 200: enveloped(wireCaseDetail) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const found = await withEnvironment(pool, environmentId, (tx) => readCase(tx, request.params.id.toLowerCase()))
      return answer('The unmatched deposit.', toWireCaseDetail(found, await readCurrencies(pool)))
    },
  })
  api.post('/merchant-integrations-server/deposit-cases/:id/match', secretKey('accountant'), {
    operationId: 'match-deposit-case',
    summary: 'Match an unmatched deposit to a payment',
    description:
      'Adds the payment to your balance, in the currency that was paid, and records which of your transactions it belongs to. That transaction does not change.',
    params: byId,
    body: closed({ matchReference: wireReference }),
    handler: async (request) => {
      await matchCase(tools, callerOf(request), request.params.id.toLowerCase(), request.body.matchReference)
      return acknowledge('It is on your balance.')
    },
  })
  api.post('/merchant-integrations-server/deposit-cases/:id/credit', secretKey('accountant'), {
    operationId: 'credit-deposit-case',
    summary: 'Credit an unmatched deposit',
    description: 'Adds the payment to your balance, in the currency that was paid.',
    params: byId,
    handler: async (request) => {
      await creditCase(tools, callerOf(request), request.params.id.toLowerCase())
      return acknowledge('It is on your balance.')
    },
  })

  api.post('/sandbox/deposits/:reference/pay', sandbox, {
    operationId: 'pay-sandbox-deposit',
    summary: 'Pay a test deposit',
    description:
      'On a local test network. Outcome reorg pays, waits until the payment is seen, and replaces its block by one without it: the deposit stays PROCESSING. Other payments of that block are in the new one.',
    params: Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) }),
    body: closed({
      amount: Type.Optional(wireAmount('In the paid currency')),
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: 30, description: 'Seconds' })),
      outcome: Type.Optional(Type.Union(outcomes.map((outcome) => Type.Literal(outcome)))),
    }),
    response: answers({ transactionHash: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { after = 0, outcome = 'exact' } = request.body
      const by = { environmentId, reference: request.params.reference }
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
