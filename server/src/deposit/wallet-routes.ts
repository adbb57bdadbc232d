import Type from 'typebox'
import { withUser } from '../base/environment.ts'
import { pickCurrency, readCurrencies } from '../currency/store.ts'
import { idempotencyKeyOf } from '../http/caller.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import type { Server } from '../http/server.ts'
import { tellReplayed } from '../transaction/reference.ts'
import { type Signed, signedOf } from '../user/session.ts'
import { modeOf, wireCode } from '../wallet/routes.ts'
import { depositError } from './errors.ts'
import { listWalletDeposits } from './store.ts'
import { bringCoin, listCoins, type WalletDepositTools } from './wallet.ts'
import { toWireWalletDeposit } from './wire.ts'

/** A person's deposits: coins that he brings into his own wallet. */
export function registerDepositWalletRoutes(server: Server, tools: WalletDepositTools): void {
  const api = endpoints(server)
  const { pool, newId } = tools

  async function show({ person }: Signed, id?: string) {
    const found = await withUser(pool, person.id, (tx) => listWalletDeposits(tx, person.id, id))
    const catalogue = await readCurrencies(pool)
    return found.map((deposit) => toWireWalletDeposit(deposit, pickCurrency(catalogue, deposit.payCurrency, 'any')))
  }
  async function showOne(signed: Signed, id: string) {
    const [deposit] = await show(signed, id)
    if (deposit === undefined) throw depositError('DEPOSIT_NOT_FOUND')
    return deposit
  }

  api.get('/wallet/coins', 'wallet', async (request) =>
    answer('What you can pay in.', { coins: await listCoins(pool, modeOf(signedOf(request))) }),
  )
  api.post('/wallet/deposits', 'wallet', {
    body: closed({
      networkId: Type.String({ format: 'uuid' }),
      currency: wireCode,
      amount: wireAmount('That arrives in the wallet'),
    }),
    handler: async (request, reply) => {
      const signed = signedOf(request)
      const { currency, networkId } = request.body
      const key = idempotencyKeyOf(request) ?? newId()
      const wish = { currency, networkId: networkId.toLowerCase(), amount: digitsOf(request.body, 'amount') ?? '' }
      const made = await bringCoin(tools, signed, { ...wish, key })
      tellReplayed(reply, made)
      return answer('The address to pay to.', await showOne(signed, made.deposit.id))
    },
  })
  api.get('/wallet/deposits', 'wallet', async (request) =>
    answer('Your deposits, newest first.', { deposits: await show(signedOf(request)) }),
  )
  api.get('/wallet/deposits/:id', 'wallet', {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    handler: async (request) =>
      answer('Your deposit.', await showOne(signedOf(request), request.params.id.toLowerCase())),
  })
}
