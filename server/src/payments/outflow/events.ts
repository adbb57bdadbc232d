import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const outflow = {
  outflowId: Type.String({ format: 'uuid' }),
  reference: Type.String(),
  kind: Type.String({ description: 'payout, payout_batch, voucher, batch, replacement, invoice or refund' }),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const outflowEvent = defineEvents({
  'outflow.waiting': {
    summary: 'An outflow waits for approval, or because its recipient is new. Its amount is held.',
    data: Type.Object({ ...outflow, needsApproval: Type.Boolean() }),
  },
  'outflow.canceled': {
    summary: 'A waiting outflow was canceled, or was not approved in time. Its amount is available again.',
    data: Type.Object({ ...outflow, reason: Type.Union([Type.Literal('withdrawn'), Type.Literal('expired')]) }),
  },
})
