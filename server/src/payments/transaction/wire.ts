import Type, { type Static } from 'typebox'
import { chargeTypes } from '../../catalogue/charge/wire.ts'
import { wireCurrency } from '../../catalogue/currency/wire.ts'
import { documentedLimits, money, named } from '../../http/schema.ts'
import { transactionStatuses } from './status.ts'

export { transactionStatuses }

/** The form of a reference. */
export const referenceForm = /^[A-Za-z0-9._~-]{1,128}$/

/** A reference in a body. takeReference checks its form, with an error that names the allowed characters. */
export const wireReference = Type.String({
  minLength: 1,
  maxLength: 200,
  ...documentedLimits({ maxLength: 128, pattern: referenceForm.source }),
})

export const transactionTypes = [
  'VOUCHER_REDEMPTION',
  'VOUCHER_PURCHASE',
  'PAYMENT_REQUEST',
  'PAYOUT',
  'INVOICE_PAYMENT',
  'WALLET_DEPOSIT',
  'REFUND',
  'ADJUSTMENT',
] as const

export type TransactionType = (typeof transactionTypes)[number]

export const wireType = Type.Enum(transactionTypes, { title: 'TransactionType' })
export const wireStatus = Type.Enum(transactionStatuses, { title: 'TransactionStatus' })
const wireChargeType = Type.Enum(chargeTypes, { title: 'ChargeType' })

export const wireTransaction = named('Transaction', {
  id: Type.String(),
  userId: Type.Union([Type.String(), Type.Null()]),
  referenceId: Type.String(),
  amount: money(),
  title: Type.String(),
  message: Type.String(),
  chargedAmount: money('The total that the payer was charged'),
  chargeType: wireChargeType,
  type: wireType,
  status: wireStatus,
  currency: wireCurrency,
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  transactionHash: Type.String({
    description:
      'Of a crypto deposit, as soon as a payment is seen in a block; of a redemption on a network, as soon as it is sent',
  }),
  applicationName: Type.String(),
  referenceHash: Type.String({ description: 'SHA-256 of the reference' }),
  metaData: Type.String(),
  refundedAmount: money('The amount refunded so far'),
  deposit: Type.Optional(
    Type.Object(
      {
        currency: Type.String({ description: 'The currency that is paid' }),
        amountToDeposit: Type.String(),
        receivedAmount: Type.String({ description: 'Seen in blocks so far, in time and in this currency' }),
        confirmedAmount: Type.String({ description: 'Of it, in final blocks' }),
        creditedAmount: Type.String({ description: 'What you were credited, in the currency of the transaction' }),
      },
      { description: 'Of a crypto deposit: exact amounts as strings' },
    ),
  ),
})
export type WireTransaction = Static<typeof wireTransaction>
