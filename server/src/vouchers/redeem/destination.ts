import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { coin } from '../../chain/block.ts'
import { type Chain, findChain } from '../../chain/store.ts'
import { type Nodes, refuseOneNode } from '../../chain/trust.ts'
import { type QuotedGas, quoteGas, unitOf } from '../../catalogue/charge/gas.ts'
import { type CatalogueCurrency, listNetworks, type Network } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { voucherError } from '../code/errors.ts'
import { findOnchain, type OnchainVoucher } from '../voucher/onchain-store.ts'
import type { RedemptionInput } from './price.ts'
import type { Voucher } from '../voucher/store.ts'
import { readWalletAddress, refuseAddress } from '../voucher/wallet-address.ts'

/** Where a redemption pays to on a network. */
export type Destination = {
  readonly chain: Chain
  readonly network: Network
  /** In lower case. The treasury, if the redeeming merchant is credited with the value of an onchain voucher. */
  readonly recipient: string
  readonly isTreasury: boolean
  /** What the recipient gets: a token, or the coin of the network. */
  readonly token: string
  /** Minor units of the ledger per smallest unit on the network. */
  readonly unit: bigint
  /** Set for an onchain voucher: its vault pays. */
  readonly onchain: OnchainVoucher | undefined
}

/** The gas of a redemption as it was quoted. */
export type GasTerms = {
  /** In the currency of the voucher. */
  readonly gas: bigint
  readonly wei: bigint
  /** The most that the transaction may use. */
  readonly units: bigint
}

type DestinationTools = { readonly pool: Pool; readonly clock: Clock; readonly nodes: Nodes }

// The most gas that each way of paying may use. Measured: a transfer of coin takes 21,000, and up to 35,000 to a contract wallet; of a
// token 65,000; a redemption from a vault 97,000 with a fee to an address that was never used.
const gasUnits = {
  payout: { coin: 40_000n, token: 100_000n },
  vault: { coin: 130_000n, token: 150_000n },
}

const defaultNetwork = 'BSC'

/** Where the redemption pays to on a network. Undefined if it credits a balance from an offchain voucher. */
export async function findDestination(
  tools: DestinationTools,
  caller: MerchantCaller,
  voucher: Voucher,
  input: RedemptionInput,
): Promise<Destination | undefined> {
  refuseForStore(voucher, input)
  if (voucher.isOnchain) return findVaultDestination(tools, voucher, input)
  if (input.walletAddress === undefined) return undefined
  const recipient = readWalletAddress(input.walletAddress)
  if (input.to === undefined) throw voucherError('WALLET_CURRENCY_MISSING', { param: 'toCurrencyAbbreviation' })
  const name = input.network ?? defaultNetwork
  const { chain, network } = await findNetwork(tools, caller.mode, name)
  if (!network.paysAddresses) throw voucherError('NETWORK_PAYS_NOTHING', { param: 'blockchainNetworkAbbreviation' })
  const token = network.tokens.find(({ currency }) => currency.code === input.to)
  if (token === undefined) throw voucherError('WALLET_CURRENCY_UNKNOWN', { param: 'toCurrencyAbbreviation' })
  const address = token.address.toLowerCase()
  await refuseAddress(tools.pool, recipient, contractsOf(chain, network))
  const unit = unitOf(token.currency, token.decimals)
  return { chain, network, recipient, isTreasury: false, token: address, unit, onchain: undefined }
}

/** The value of a store voucher is between its shop and its holder: it is not converted, and no address is paid. */
export function refuseForStore(
  voucher: Voucher,
  { walletAddress, to = voucher.currency }: Pick<RedemptionInput, 'walletAddress' | 'to'>,
): void {
  if (!voucher.isStore) return
  if (walletAddress !== undefined) throw voucherError('STORE_VOUCHER_PAYS_NO_ADDRESS', { param: 'walletAddress' })
  if (to !== voucher.currency) throw voucherError('STORE_VOUCHER_NOT_CONVERTED', { param: 'toCurrencyAbbreviation' })
}

/** An onchain voucher pays in its own currency. Without an address it pays the treasury, and the merchant is credited. */
async function findVaultDestination(
  tools: DestinationTools,
  voucher: Voucher,
  input: RedemptionInput,
): Promise<Destination> {
  const onchain = (await findOnchain(tools.pool, [voucher.id])).get(voucher.id)
  if (onchain === undefined) throw new Error('An onchain voucher has no record of its vault.')
  if (onchain.state === 'creating') throw voucherError('VOUCHER_PROCESSING')
  if (onchain.closing !== null || onchain.state === 'closed') throw voucherError('VOUCHER_CLOSING')
  const { chain, network } = await findNetwork(tools, voucher.mode, onchain.networkId)
  const { networkId, vault, token, decimals } = onchain
  const { network: wanted = networkId, walletAddress, to = voucher.currency } = input
  if (wanted !== networkId && wanted !== chain.abbreviation)
    throw voucherError('WALLET_NETWORK_OTHER', { param: 'blockchainNetworkAbbreviation' })
  if (walletAddress !== undefined && to !== voucher.currency)
    throw voucherError('WALLET_CURRENCY_OTHER', { param: 'toCurrencyAbbreviation' })
  const currency = network.tokens.find((each) => each.currency.code === voucher.currency)?.currency
  if (currency === undefined) throw voucherError('WALLET_CURRENCY_UNKNOWN', { param: 'toCurrencyAbbreviation' })
  const unit = unitOf(currency, decimals)
  const common = { chain, network, token, unit, onchain }
  if (walletAddress === undefined) return { ...common, recipient: chain.treasury, isTreasury: true }
  const recipient = readWalletAddress(walletAddress)
  await refuseAddress(tools.pool, recipient, [vault, ...contractsOf(chain, network)])
  return { ...common, recipient, isTreasury: false }
}

async function findNetwork(
  { pool, nodes }: DestinationTools,
  mode: Chain['mode'],
  name: string,
): Promise<{ chain: Chain; network: Network }> {
  const chain = await findChain(pool, name)
  const network = (await listNetworks(pool)).find(({ id }) => id === chain?.id)
  if (chain?.mode !== mode || network === undefined)
    throw voucherError('WALLET_NETWORK_UNKNOWN', { param: 'blockchainNetworkAbbreviation' })
  refuseOneNode(chain, nodes)
  return { chain, network }
}

/** Our own contracts and treasury: a payment to one of them would be lost. */
function contractsOf({ factory, treasury }: Chain, { tokens }: Network): string[] {
  return [factory, treasury, ...tokens.flatMap(({ address, vault }) => [address, vault])].map((each) =>
    each.toLowerCase(),
  )
}

export async function quoteGasTo(
  tools: DestinationTools,
  { network, token, onchain }: Destination,
  currency: CatalogueCurrency,
): Promise<GasTerms & Pick<QuotedGas, 'withFeeInWei'>> {
  const units = gasUnits[onchain === undefined ? 'payout' : 'vault'][token === coin ? 'coin' : 'token']
  const { gas, gasInCoin, wei, withFeeInWei } = await quoteGas(tools, network, currency, units)
  // Unlike a deposit, this costs gas for certain: without a rate, anybody could make the platform pay it.
  if (gasInCoin === undefined) throw voucherError('GAS_RATE_UNKNOWN')
  return { gas, wei, units, withFeeInWei }
}

/** The address that is paid, as part of what a quote is for. */
export function payeeOf(destination: Destination | undefined): string {
  return destination === undefined ? '' : `${destination.chain.id}/${destination.recipient}`
}
