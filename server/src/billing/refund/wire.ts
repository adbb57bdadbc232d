import Type, { type Static } from 'typebox'
import { money, named } from '../../http/schema.ts'

export const wireRefund = named('Refund', {
  transactionId: Type.String(),
  referenceId: Type.String({ description: 'The reference of the refunded transaction' }),
  refundReferenceId: Type.String(),
  amount: money('The refunded amount, in the currency of the transaction'),
  currency: Type.String(),
  returnedAmount: money('The amount that the payer received. Less if the exchange rate has moved'),
  returnedCurrency: Type.String(),
  link: Type.Optional(
    Type.String({
      description: 'Of a refund by link. Anyone who has it can take the money: give it to the payer only',
    }),
  ),
})
export type WireRefund = Static<typeof wireRefund>
