import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const batchId = Type.String({ format: 'uuid' })
const reference = Type.String()

export const batchEvent = defineEvents({
  'voucher_batch.paid': {
    summary: 'A batch was paid for. Its vouchers are being created.',
    data: Type.Object({
      batchId,
      reference,
      size: Type.Integer(),
      total: Type.String({ description: 'In major units, exact to the last digit' }),
      currency: Type.String(),
    }),
  },
  'voucher_batch.ready': {
    summary: 'All vouchers of a batch were created.',
    data: Type.Object({ batchId, reference }),
  },
})
