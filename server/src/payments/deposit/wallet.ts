import type { Pool } from '../../base/db.ts'
import { findFinality, listChains } from '../../chain/store.ts'
import { listNetworks } from '../../catalogue/currency/store.ts'
import type { Mode } from '../../base/mode.ts'
import type { FindPlatformMerchant } from '../../http/caller.ts'
import { platformReference } from '../../identity/merchant/platform-merchant.ts'
import type { Signed } from '../../identity/user/session.ts'
import { modeOf } from '../wallet/routes.ts'
import type { DepositInput } from './price.ts'
import { requestDeposit, type RequestedDeposit, type RequestTools } from './request.ts'
import type { WireDepositCurrency } from './wire.ts'

/** The currencies that a user can deposit, on every network that is watched. */
export async function listDepositCurrencies(pool: Pool, mode: Mode): Promise<WireDepositCurrency[]> {
  const chains = (await listChains(pool)).filter((chain) => chain.mode === mode)
  const watched = await Promise.all(chains.map(async ({ id }) => ((await findFinality(pool, id)) ? id : '')))
  const networks = (await listNetworks(pool)).filter(({ id }) => watched.includes(id))
  return networks.flatMap(({ id: networkId, name: network, abbreviation, tokens }) =>
    tokens.map(({ currency: { code: currency, name, symbol } }) => ({
      networkId,
      network,
      abbreviation,
      currency,
      name,
      symbol,
    })),
  )
}

// The wallet pays in the currency that it asks for.
const walletFields = { currency: 'currency', payWith: 'currency', networkId: 'networkId' }

export type WalletDepositTools = RequestTools & { readonly findPlatformMerchant: FindPlatformMerchant }

/** Requests a deposit to a user's wallet: a deposit at the platform merchant that credits the user. No conversion. */
export async function requestWalletDeposit(
  tools: WalletDepositTools,
  signed: Signed,
  { key, ...input }: Omit<DepositInput, 'payWith'> & { readonly key: string },
): Promise<RequestedDeposit> {
  const { id: userId } = signed.user
  const platformMerchant = await tools.findPlatformMerchant(modeOf(signed))
  const caller = { ...platformMerchant, keyId: userId, hasSecret: false }
  const reference = platformReference(userId, `deposit/${key}`)
  const terms = { ...input, payWith: input.currency, fields: walletFields }
  return requestDeposit(tools, caller, { ...terms, metadata: '', reference, userId })
}
