import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { convert, divide, type Money } from '../../base/money.ts'
import { type Chain, findChain } from '../../chain/store.ts'
import { type Nodes, refuseOneNode } from '../../chain/trust.ts'
import { coin } from '../../chain/block.ts'
import { inverse, quoteGas, unitOf } from '../../catalogue/charge/gas.ts'
import { chargeOn, type ChargeTerms } from '../../catalogue/charge/price.ts'
import { findMerchantTerms, listRules, pickRule } from '../../catalogue/charge/store.ts'
import { parseAmount, refuseDust } from '../../catalogue/currency/amount.ts'
import { findPrice, type Price } from '../../catalogue/exchange/price.ts'
import { type CatalogueCurrency, findCurrency, listNetworks, type Network } from '../../catalogue/currency/store.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { roundUpToDouble } from './double-safe.ts'
import { depositError } from './errors.ts'

type DepositFields = { readonly currency: string; readonly payWith: string; readonly networkId: string }
export const merchantFields: DepositFields = {
  currency: 'currency_abbreviation',
  payWith: 'pay_with_currency_abbreviation',
  networkId: 'blockchainNetworkId',
}

export type DepositInput = {
  /** Major units, as the client wrote them. */
  readonly amount: string
  readonly currency: string
  readonly payWith: string
  readonly networkId: string
  /** The names of the fields that the client sent, for errors. Those of the merchant API if absent. */
  readonly fields?: DepositFields
}

export type PricedDeposit = {
  readonly chain: Chain
  readonly network: Network
  readonly token: string
  /** Minor units of the ledger per smallest unit of the token on this network. */
  readonly unit: bigint
  /** The requested amount. */
  readonly due: Money & { readonly currency: CatalogueCurrency }
  readonly pay: CatalogueCurrency
  /** The rate from the paid currency to the requested one. */
  readonly price: Price
  readonly terms: ChargeTerms
  readonly swap: bigint
  readonly fee: bigint
  readonly gas: bigint
  /** The gas in the network's own coin. Undefined if gas is not charged. */
  readonly gasInCoin: Money | undefined
  readonly chargesInWei: bigint
  /** The total to pay, rounded up to whole units of the token and to a value that a double holds. The rounding counts as a fee. */
  readonly toDeposit: bigint
}

// Measured gas of a sweep of one address.
const sweepGas = { coin: 74_769n, token: 91_024n }

type PriceTools = { readonly pool: Pool; readonly clock: Clock; readonly nodes: Nodes }

/** Computes the amount to pay from the requested amount. Rounds up at every step. */
export async function priceDeposit(
  { pool, clock, nodes }: PriceTools,
  caller: MerchantCaller,
  input: DepositInput,
): Promise<PricedDeposit> {
  const { fields = merchantFields } = input
  const { chain, network } = await findDepositNetwork(pool, caller, input.networkId, fields.networkId)
  // Networks with too few nodes are not watched, so they get no deposits.
  refuseOneNode(chain, nodes)
  const currency = await findCurrency(pool, input.currency, 'offered', fields.currency)
  const due = { minor: parseAmount(input.amount, currency).minor, currency }
  refuseDust(due, currency)
  const token = network.tokens.find((each) => each.currency.code === input.payWith)
  if (token === undefined) throw depositError('DEPOSIT_CURRENCY_REFUSED', { param: fields.payWith })
  const { currency: pay } = token
  const unit = unitOf(pay, token.decimals)
  const price = await findPrice(pool, pay.code, currency.code, clock)
  const swap = convert(due, inverse(price.rate), pay, 'up').money.minor
  const rule = pickRule(await listRules(pool), caller.mode, pay.code)
  const merchant = (await findMerchantTerms(pool, [caller.environmentId], clock())).get(caller.environmentId)
  const terms = { rule, discountPpm: merchant?.discountPpm ?? 0n }
  const fee = chargeOn(swap, terms)
  const units = token.address === coin ? sweepGas.coin : sweepGas.token
  const { gas, gasInCoin, withFeeInWei } = await quoteGas({ pool, clock }, network, pay, units)
  const chargesInWei = withFeeInWei(fee)
  const toDeposit = roundUpToDouble(divide(swap + fee + gas, unit, 'up') * unit)
  return {
    chain,
    network,
    token: token.address.toLowerCase(),
    unit,
    due,
    pay,
    price,
    terms,
    swap,
    fee,
    gas,
    gasInCoin,
    chargesInWei,
    toDeposit,
  }
}

async function findDepositNetwork(pool: Pool, { mode }: MerchantCaller, networkId: string, param: string) {
  const chain = await findChain(pool, networkId)
  const network = (await listNetworks(pool)).find(({ id }) => id === networkId)
  if (chain?.mode !== mode || network === undefined) throw depositError('DEPOSIT_NETWORK_UNKNOWN', { param })
  return { chain, network }
}
