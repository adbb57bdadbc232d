import Type from 'typebox'
import { defineEvents, type Event } from '../../ledger/event.ts'
import { transactionPayload } from '../transaction/events.ts'
import type { Deposit } from './store.ts'

const money = {
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const depositEvent = defineEvents({
  'deposit.completed': {
    summary: 'A deposit was paid and confirmed. The amount is on your balance.',
    data: Type.Object(transactionPayload),
  },
  'deposit.confirming': {
    summary: 'A payment for a deposit was seen in a block. It is not final yet: do not deliver.',
    data: Type.Object({
      ...transactionPayload,
      received: Type.String({ description: 'The sum of the payments so far, in payCurrency' }),
      amountToDeposit: Type.String({ description: 'The total to pay, in payCurrency' }),
      payCurrency: Type.String(),
      confirmations: Type.Integer({ description: 'Blocks that contain or follow the payment' }),
    }),
  },
  'deposit.canceled': {
    summary: 'A deposit ended without the full payment. It was not paid in time, or your shop took its reference.',
    data: Type.Object({
      ...transactionPayload,
      status: Type.String({
        description: 'FAILED after the time has passed, CANCELED if your shop took its reference',
      }),
    }),
  },
  'deposit.reversed': {
    summary: 'The network reversed a confirmed deposit. The credited amount was taken back.',
    data: Type.Object(transactionPayload),
  },
  'deposit.repriced': {
    summary: 'The market moved before a payment was seen. The amount to deposit is higher than quoted.',
    data: Type.Object({
      depositId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      amountToDeposit: Type.String({ description: 'The total, including earlier payments' }),
      currency: Type.String(),
    }),
  },
  'deposit.case': {
    summary: 'A payment does not match its request: too little, too much, too late, or in another currency.',
    data: Type.Object({
      caseId: Type.String({ format: 'uuid' }),
      reference: Type.String(),
      kind: Type.String(),
      ...money,
    }),
  },
})

/** The position of an event among those of its deposit: 1 confirming, 2 completed or canceled, 3 reversed. */
export function aboutOf({ environmentId, id }: Deposit, sequence: number): Pick<Event, 'environmentId' | 'about'> {
  return { environmentId, about: { id, sequence } }
}
