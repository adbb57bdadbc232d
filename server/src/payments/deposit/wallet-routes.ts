import Type from 'typebox'
import { withUser } from '../../base/environment.ts'
import { pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { idempotencyKeyOf } from '../../http/caller.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import type { Server } from '../../http/server.ts'
import { markReplayed } from '../../http/idempotency.ts'
import { type Signed, signedOf } from '../../identity/user/session.ts'
import { modeOf, wireCode } from '../wallet/routes.ts'
import { depositError } from './errors.ts'
import { listWalletDeposits } from './store.ts'
import { requestWalletDeposit, listDepositCurrencies, type WalletDepositTools } from './wallet.ts'
import { toWireWalletDeposit } from './to-wire.ts'
import { wireDepositCurrencies, wireWalletDeposit, wireWalletDeposits } from './wire.ts'

/** Deposits of users to their own wallets. */
export function registerDepositWalletRoutes(server: Server, tools: WalletDepositTools): void {
  const api = endpoints(server)
  const { pool, newId } = tools

  async function show({ user }: Signed, id?: string) {
    const found = await withUser(pool, user.id, (tx) => listWalletDeposits(tx, user.id, id))
    const catalogue = await readCurrencies(pool)
    return found.map((deposit) => toWireWalletDeposit(deposit, pickCurrency(catalogue, deposit.payCurrency, 'any')))
  }
  async function showOne(signed: Signed, id: string) {
    const [deposit] = await show(signed, id)
    if (deposit === undefined) throw depositError('DEPOSIT_NOT_FOUND')
    return deposit
  }

  api.get('/wallet/coins', 'wallet', {
    response: { 200: enveloped(wireDepositCurrencies) },
    handler: async (request) =>
      answer('The currencies that you can deposit.', {
        coins: await listDepositCurrencies(pool, modeOf(signedOf(request))),
      }),
  })
  api.post('/wallet/deposits', 'wallet', {
    body: closed({
      networkId: Type.String({ format: 'uuid' }),
      currency: wireCode,
      amount: wireAmount('The amount that arrives in the wallet'),
    }),
    response: { 200: enveloped(wireWalletDeposit) },
    handler: async (request, reply) => {
      const signed = signedOf(request)
      const { currency, networkId } = request.body
      const key = idempotencyKeyOf(request) ?? newId()
      const input = { currency, networkId: networkId.toLowerCase(), amount: digitsOf(request.body, 'amount') ?? '' }
      const made = await requestWalletDeposit(tools, signed, { ...input, key })
      markReplayed(reply, made)
      return answer('The address to pay to.', await showOne(signed, made.deposit.id))
    },
  })
  api.get('/wallet/deposits', 'wallet', {
    response: { 200: enveloped(wireWalletDeposits) },
    handler: async (request) => answer('Your deposits, newest first.', { deposits: await show(signedOf(request)) }),
  })
  api.get('/wallet/deposits/:id', 'wallet', {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    response: { 200: enveloped(wireWalletDeposit) },
    handler: async (request) =>
      answer('Your deposit.', await showOne(signedOf(request), request.params.id.toLowerCase())),
  })
}
