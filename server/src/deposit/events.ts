import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'
import { toldTransaction } from '../transaction/events.ts'

const money = {
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const depositEvent = defineEvents({
  'deposit.completed': {
    summary: 'A deposit was paid, and is final. The money is yours.',
    data: Type.Object(toldTransaction),
  },
  'deposit.canceled': { summary: 'A deposit was not paid in time.', data: Type.Object(toldTransaction) },
  'deposit.reversed': {
    summary: 'A deposit that was final was undone by its network, and what you were credited taken back.',
    data: Type.Object(toldTransaction),
  },
  'deposit.repriced': {
    summary: 'The market moved before a payment was seen. The amount to deposit is higher than quoted.',
    data: Type.Object({
      depositId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      amountToDeposit: Type.String({ description: 'In all, what was paid before included' }),
      currency: Type.String(),
    }),
  },
  'deposit.case': {
    summary: 'Money came in that was not asked for: too little, too much, too late, or of another currency.',
    data: Type.Object({
      caseId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      kind: Type.String(),
      ...money,
    }),
  },
})
