import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'

const invoice = {
  invoiceId: Type.String({ format: 'uuid' }),
  invoiceNumber: Type.String(),
  amount: Type.String({ description: 'In major units, exact to the last digit' }),
  currency: Type.String(),
}

export const invoiceEvent = defineEvents({
  'invoice.submitted': { summary: 'An invoice was submitted to you.', data: Type.Object(invoice) },
  'invoice.approved': { summary: 'You approved an invoice.', data: Type.Object(invoice) },
  'invoice.rejected': {
    summary: 'You rejected an invoice.',
    data: Type.Object({ ...invoice, reason: Type.String() }),
  },
  'invoice.paid': {
    summary: 'An invoice was paid by a voucher, which was emailed to its submitter.',
    data: Type.Object({ ...invoice, voucherId: Type.String({ format: 'uuid' }) }),
  },
})
