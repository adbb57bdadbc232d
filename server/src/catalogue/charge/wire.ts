import Type from 'typebox'
import { wireCurrency } from '../currency/wire.ts'
import { money } from '../../http/schema.ts'

export const chargeTypes = ['NONE', 'FIXED', 'PERCENTAGE', 'MIXED'] as const
export type ChargeType = (typeof chargeTypes)[number]

/** The cost of a payment, in the API's spellings. */
export const chargeFields = {
  swapAmount: money('The amount to convert, in the paid currency'),
  toAmount: money('The amount that the payee receives'),
  processingFee: money(),
  totalGasAndProceesingFeeInFromCurrency: money(),
  totalGasCostAndProcessingFeeInWei: Type.Number(),
  exchangeRate: Type.Number({
    description: 'After the spread, with 18 decimals. toAmount is computed from the exact rate',
  }),
  marketRate: Type.Number({ description: 'The exchange rate before the spread' }),
  spreadPercentage: Type.Number({ description: 'The spread of the exchange: 0.5 is 0.5 %. 0 in the same currency' }),
  percentageCharge: Type.Number({ description: '1.5 is 1.5 %' }),
  isPercentageCharge: Type.Boolean(),
  toCurrency: wireCurrency,
  fromCurrency: wireCurrency,
  totalDeductable: money('The total that the payer pays'),
}
