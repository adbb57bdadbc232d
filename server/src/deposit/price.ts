import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { convert, divide, type Money, type Rate } from '../base/money.ts'
import { type Chain, findChain, findFinality } from '../chain/store.ts'
import { chainError } from '../chain/errors.ts'
import { type Nodes, refuseOneNode } from '../chain/trust.ts'
import { coin } from '../chain/block.ts'
import { chargeOn, type ChargeTerms } from '../charge/price.ts'
import { findMerchantTerms, listRules, pickRule } from '../charge/store.ts'
import { parseAmount, refuseDust } from '../currency/amount.ts'
import { findRate } from '../currency/rates.ts'
import { findPrice, type Price } from '../exchange/price.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, type Network } from '../currency/store.ts'
import type { MerchantCaller } from '../http/caller.ts'
import { depositError } from './errors.ts'

export type DepositWish = {
  /** Major units, as they were written. */
  readonly amount: string
  readonly currency: string
  readonly payWith: string
  readonly networkId: string
}

export type PricedDeposit = {
  readonly chain: Chain
  readonly network: Network
  readonly token: string
  /** How many minor units of the ledger a unit of the token on this network is. */
  readonly unit: bigint
  readonly asked: Money & { readonly currency: CatalogueCurrency }
  readonly pay: CatalogueCurrency
  /** 1 of what is paid with, in what is asked for. */
  readonly price: Price
  readonly terms: ChargeTerms
  readonly swap: bigint
  readonly fee: bigint
  readonly gas: bigint
  /** The same in the network's own coin. None where gas is not charged. */
  readonly gasInCoin: Money | undefined
  readonly chargesInWei: bigint
  /** All of it, in whole units of the token: what is less than one comes on top, as a charge. */
  readonly toDeposit: bigint
}

// Measured: a sweep of one address, and what gas may rise until then.
const sweepGas = { coin: 74_769n, token: 91_024n }
const gasMarginPpm = 1_200_000n

type PriceTools = { readonly pool: Pool; readonly clock: Clock; readonly nodes: Nodes }

/** From what is asked for to what has to be paid: the other way round than a redemption, and every step up. */
export async function priceDeposit(
  { pool, clock, nodes }: PriceTools,
  caller: MerchantCaller,
  wish: DepositWish,
): Promise<PricedDeposit> {
  const { chain, network } = await findPlace(pool, caller, wish.networkId)
  // Nobody is given an address that nobody watches.
  refuseOneNode(chain, nodes)
  const currency = await findCurrency(pool, wish.currency)
  const asked = { minor: parseAmount(wish.amount, currency).minor, currency }
  refuseDust(asked, currency)
  const token = network.tokens.find((each) => each.currency.code === wish.payWith)
  if (token === undefined) throw depositError('DEPOSIT_CURRENCY_REFUSED', { param: 'pay_with_currency_abbreviation' })
  const { currency: pay } = token
  const unit = unitOf(pay, token.decimals)
  const price = await findPrice(pool, pay.code, currency.code, clock)
  const swap = convert(asked, inverse(price.rate), pay, 'up').money.minor
  const rule = pickRule(await listRules(pool), caller.mode, pay.code)
  const merchant = (await findMerchantTerms(pool, [caller.environmentId], clock())).get(caller.environmentId)
  const terms = { rule, discountPpm: merchant?.discountPpm ?? 0n }
  const fee = chargeOn(swap, terms)
  const finality = await findFinality(pool, chain.id)
  if (finality === undefined) throw chainError('CHAIN_UNWATCHED')
  const isCoin = token.address === coin
  const wei = divide(finality.gasPrice * (isCoin ? sweepGas.coin : sweepGas.token) * gasMarginPpm, 1_000_000n, 'up')
  const { gas, gasInCoin, chargesInWei } = await gasIn({ pool, clock }, network, pay, wei, fee)
  const toDeposit = divide(swap + fee + gas, unit, 'up') * unit
  return {
    ...{ chain, network, token: token.address.toLowerCase(), unit, asked, pay, price, terms },
    ...{ swap, fee, gas, gasInCoin, chargesInWei, toDeposit },
  }
}

async function findPlace(pool: Pool, { mode }: MerchantCaller, networkId: string) {
  const chain = await findChain(pool, networkId)
  const network = (await listNetworks(pool)).find(({ id }) => id === networkId)
  if (chain?.mode !== mode || network === undefined)
    throw depositError('DEPOSIT_NETWORK_UNKNOWN', { param: 'blockchainNetworkId' })
  return { chain, network }
}

/** The ledger has at least as many decimals as any network, so that no payment has to be rounded. */
export function unitOf({ decimals }: CatalogueCurrency, onNetwork: number): bigint {
  if (onNetwork > decimals) throw new RangeError('A token has more decimals than the ledger.')
  return 10n ** BigInt(decimals - onNetwork)
}

/** Gas costs the network's own coin. Where nobody says what that is worth, gas is not charged: a dead source stops no sale. */
async function gasIn(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  { tokens }: Network,
  pay: CatalogueCurrency,
  wei: bigint,
  fee: bigint,
): Promise<Pick<PricedDeposit, 'gas' | 'gasInCoin' | 'chargesInWei'>> {
  const own = tokens.find(({ address }) => address === coin)
  const rate = own && (await findRate(pool, own.currency.code, pay.code, clock).catch(() => undefined))?.rate
  if (own === undefined || rate === undefined) return { gas: 0n, gasInCoin: undefined, chargesInWei: 0n }
  const unit = unitOf(own.currency, own.decimals)
  const gasInCoin = { minor: wei * unit, currency: own.currency }
  const gas = convert(gasInCoin, rate, pay, 'up').money.minor
  const feeInCoin = convert({ minor: fee, currency: pay }, inverse(rate), own.currency, 'up').money.minor
  return { gas, gasInCoin, chargesInWei: wei + divide(feeInCoin, unit, 'up') }
}

function inverse({ numerator, denominator }: Rate): Rate {
  return { numerator: denominator, denominator: numerator }
}
