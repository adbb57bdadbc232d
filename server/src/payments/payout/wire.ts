import Type, { type Static } from 'typebox'
import { outflowForecasts } from '../outflow/wire.ts'

const text = Type.String()

/** What a payout would do, for the dashboard. */
export const wirePayoutPreview = Type.Object({
  name: Type.String({ description: 'Of the recipient' }),
  isNew: Type.Boolean({ description: 'True if you have never paid the recipient' }),
  pays: text,
  fromCurrency: text,
  gets: text,
  toCurrency: text,
  available: Type.String({ description: 'The balance in the currency that leaves it' }),
  remains: Type.String({ description: 'Empty if the balance does not cover it' }),
  outflow: Type.Enum(outflowForecasts),
  waitHours: Type.Integer(),
})
export type WirePayoutPreview = Static<typeof wirePayoutPreview>
