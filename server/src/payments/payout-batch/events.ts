import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const batchId = Type.String({ format: 'uuid' })
const reference = Type.String()

export const payoutBatchEvent = defineEvents({
  'payout_batch.paid': {
    summary: 'A payout file left your balance. Its rows are being paid.',
    data: Type.Object({
      batchId,
      reference,
      size: Type.Integer({ description: 'Rows that are being paid' }),
      total: Type.String({ description: 'In major units, exact to the last digit' }),
      currency: Type.String(),
    }),
  },
  'payout_batch.finished': {
    summary: 'Every row of a payout file was paid or refused. The amount of refused rows is back on your balance.',
    data: Type.Object({ batchId, reference, paid: Type.Integer(), refused: Type.Integer() }),
  },
})
