import Type from 'typebox'
import { defineEvents } from '../ledger/event.ts'

const batchId = Type.String({ format: 'uuid' })
const reference = Type.String()

export const batchEvent = defineEvents({
  'voucher_batch.paid': {
    summary: 'A batch was paid for; its vouchers are being made.',
    data: Type.Object({
      batchId,
      reference,
      size: Type.Integer(),
      total: Type.String({ description: 'In major units, exact to the last digit' }),
      currency: Type.String(),
    }),
  },
  'voucher_batch.ready': { summary: 'Every voucher of a batch is there.', data: Type.Object({ batchId, reference }) },
})
