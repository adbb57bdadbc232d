import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const amount = (description: string) => Type.String({ description: `${description}, in major units` })

export const chargeEvent = defineEvents({
  'admin_balance.low': {
    summary:
      'Your admin balance was too low for a fee, and the voucher paid it. Sent once, and again after the balance was funded.',
    data: Type.Object({
      currency: Type.String(),
      balance: amount('The available admin balance'),
      fee: amount('The fee that it did not cover'),
      reference: Type.String({ description: 'Of the redemption' }),
    }),
  },
})
