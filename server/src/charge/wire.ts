import Type from 'typebox'
import { divide, formatMoney, formatPercent, type Rate } from '../base/money.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireCurrency } from '../currency/wire.ts'
import { marketRate, type Price } from '../exchange/price.ts'
import { exactNumber } from '../http/exact-json.ts'

/** What a payment would cost, in the interface's own spellings. */
export const chargeFields = {
  swapAmount: Type.Number({ description: 'What the payee is to receive the value of' }),
  toAmount: Type.Number({ description: 'What the payee receives' }),
  processingFee: Type.Number(),
  totalGasAndProceesingFeeInFromCurrency: Type.Number(),
  totalGasCostAndProcessingFeeInWei: Type.Number(),
  exchangeRate: Type.Number({
    description: 'After the spread, to 18 decimals; toAmount is computed from the exact one',
  }),
  marketRate: Type.Number({ description: 'The exchange rate before the spread' }),
  spreadPercentage: Type.Number({ description: 'What the exchange keeps: 0.5 is 0.5 %, 0 in the same currency' }),
  percentageCharge: Type.Number({ description: '1.5 is 1.5 %' }),
  isPercentageCharge: Type.Boolean(),
  toCurrency: wireCurrency,
  fromCurrency: wireCurrency,
  totalDeductable: Type.Number({ description: 'What the payer loses in all' }),
}

type Priced = {
  readonly amount: bigint
  readonly toAmount: bigint
  readonly charge: bigint
  readonly deducted: bigint
  /** Of the network, where there is one: in the currency that is paid with, and all charges in its smallest unit. */
  readonly gas?: bigint
  readonly chargesInWei?: bigint
  readonly currency: CatalogueCurrency
  readonly to: CatalogueCurrency
  readonly price: Pick<Price, 'rate' | 'spreadPpm'>
  readonly sharePpm: bigint
}

export function toWireCharges(priced: Priced, logoUrl: LogoUrl) {
  const { amount, toAmount, charge, deducted, gas = 0n, chargesInWei = 0n, currency, to, price, sharePpm } = priced
  const money = (minor: bigint, of = currency): unknown => exactNumber(formatMoney({ minor, currency: of }))
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
