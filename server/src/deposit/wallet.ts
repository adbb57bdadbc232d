import type { Pool } from '../base/db.ts'
import { findFinality, listChains } from '../chain/store.ts'
import { listNetworks } from '../currency/store.ts'
import type { Mode } from '../ledger/book.ts'
import { type FindHouse, houseReference } from '../merchant/house.ts'
import type { Signed } from '../user/session.ts'
import { modeOf } from '../wallet/routes.ts'
import type { DepositWish } from './price.ts'
import { requestDeposit, type RequestTools } from './request.ts'

/** What can be paid in: of every network that is watched. */
export async function listCoins(pool: Pool, mode: Mode) {
  const chains = (await listChains(pool)).filter((chain) => chain.mode === mode)
  const watched = await Promise.all(chains.map(async ({ id }) => ((await findFinality(pool, id)) ? id : '')))
  const networks = (await listNetworks(pool)).filter(({ id }) => watched.includes(id))
  return networks.flatMap(({ id: networkId, name: network, abbreviation, tokens }) =>
    tokens.map(({ currency: { code: currency, name, symbol } }) => ({
      ...{ networkId, network, abbreviation, currency, name, symbol },
    })),
  )
}

export type WalletDepositTools = RequestTools & { readonly findHouse: FindHouse }

/** A person brings a coin into his wallet, as it is: a deposit at the platform's own shop that goes to him. */
export async function bringCoin(
  tools: WalletDepositTools,
  signed: Signed,
  { key, ...wish }: Omit<DepositWish, 'payWith'> & { readonly key: string },
) {
  const { id: userId } = signed.person
  const house = await tools.findHouse(modeOf(signed))
  const caller = { ...house, keyId: userId, hasSecret: false }
  const reference = houseReference(userId, `deposit/${key}`)
  return requestDeposit(tools, caller, { ...wish, payWith: wish.currency, metadata: '', reference, userId })
}
