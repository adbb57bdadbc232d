import type { Static, TObject } from 'typebox'
import { divide, formatMoney, formatPercent, type Rate } from '../../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency } from '../currency/to-wire.ts'
import { marketRate, type Price } from '../exchange/price.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { type ExactNumber, type Wire } from '../../http/schema.ts'
import { chargeFields } from './wire.ts'

type Priced = {
  readonly amount: bigint
  readonly toAmount: bigint
  readonly charge: bigint
  readonly deducted: bigint
  /** Network gas in the paid currency; `chargesInWei` has all fees in the network's smallest unit. */
  readonly gas?: bigint
  readonly chargesInWei?: bigint
  readonly currency: CatalogueCurrency
  readonly to: CatalogueCurrency
  readonly price: Pick<Price, 'rate' | 'spreadPpm'>
  readonly sharePpm: bigint
}

type WireCharges = Wire<Static<TObject<typeof chargeFields>>>

export function toWireCharges(priced: Priced, logoUrl: LogoUrl): WireCharges {
  const { amount, toAmount, charge, deducted, gas = 0n, chargesInWei = 0n, currency, to, price, sharePpm } = priced
  const money = (minor: bigint, of = currency): ExactNumber => exactNumber(formatMoney({ minor, currency: of }))
  return {
    swapAmount: money(amount),
    toAmount: money(toAmount, to),
    processingFee: money(charge),
    totalGasAndProceesingFeeInFromCurrency: money(charge + gas),
    totalGasCostAndProcessingFeeInWei: exactNumber(String(chargesInWei)),
    exchangeRate: exactNumber(formatRate(price.rate)),
    marketRate: exactNumber(formatRate(marketRate(price))),
    spreadPercentage: exactNumber(formatPercent(price.spreadPpm)),
    percentageCharge: exactNumber(formatPercent(sharePpm)),
    isPercentageCharge: sharePpm > 0n,
    toCurrency: toWireCurrency(to, logoUrl),
    fromCurrency: toWireCurrency(currency, logoUrl),
    totalDeductable: money(deducted),
  }
}

const rateDecimals = 18

function formatRate({ numerator, denominator }: Rate): string {
  const minor = divide(numerator * 10n ** BigInt(rateDecimals), denominator, 'half_even')
  const text = formatMoney({ minor, currency: { code: 'rate', decimals: rateDecimals } })
  return text.replace(/\.?0+$/, '')
}
