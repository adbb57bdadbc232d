import Type from 'typebox'
import { defineEvents } from '../../ledger/event.ts'
import { transactionDetails } from '../../payments/transaction/events.ts'

const voucherId = Type.String({ format: 'uuid' })
const amount = Type.String({ description: 'In major units, exact to the last digit' })
const currency = Type.String()
const aVoucher = Type.Object({ voucherId })

const failedDetails = {
  reference: Type.String(),
  type: transactionDetails.type,
  metadata: transactionDetails.metadata,
}

export const voucherEvent = defineEvents({
  'voucher.issued': {
    summary: 'A voucher was issued. Vouchers of a batch have one event together, when the batch is ready.',
    data: Type.Object({
      voucherId,
      amount,
      currency,
      reference: Type.String(),
      replaces: Type.Optional(Type.String({ format: 'uuid', description: 'The lost voucher that it replaces' })),
    }),
  },
  'voucher.redeemed': {
    summary: 'A voucher was redeemed, in full or in part. Sent to the redeeming merchant and to the issuer.',
    data: Type.Object({
      voucherId,
      amount,
      charge: Type.String({ description: 'In addition to the amount' }),
      chargedTo: Type.Union([Type.Literal('voucher'), Type.Literal('merchant')]),
      currency,
      transactionId: Type.Optional(Type.String({ format: 'uuid', description: 'Only if you redeemed it' })),
      reference: Type.Optional(Type.String({ description: 'Only if you redeemed it' })),
      // Only for the redeeming merchant, like the reference.
      type: Type.Optional(transactionDetails.type),
      metadata: Type.Optional(transactionDetails.metadata),
      userId: Type.Optional(transactionDetails.userId),
    }),
  },
  'voucher.redemption_failed': {
    summary:
      'A redemption to a wallet address failed, or a redemption of an onchain voucher. Its amount is back on the voucher.',
    data: Type.Object({
      voucherId,
      amount,
      currency,
      transactionId: Type.String({ format: 'uuid' }),
      ...failedDetails,
    }),
  },
  'voucher.onchain_created': {
    summary: 'An onchain voucher is on its network and can be redeemed.',
    data: Type.Object({ voucherId, transactionHash: Type.String() }),
  },
  'voucher.onchain_closed': {
    summary: 'An onchain voucher was closed on its network. What was left of it is offchain now.',
    data: Type.Object({ voucherId, transactionHash: Type.String() }),
  },
  'voucher.refunded': {
    summary: 'A refund put value back on a voucher of yours. An expired voucher becomes usable again.',
    data: Type.Object({ voucherId, amount, currency }),
  },
  'voucher.cancelled': {
    summary: 'A voucher was cancelled. Its balance went back to the payer.',
    data: Type.Object({ voucherId, reason: Type.String() }),
  },
  'voucher.blocked': { summary: 'A voucher was blocked. It cannot be redeemed until it is unblocked.', data: aVoucher },
  'voucher.unblocked': { summary: 'A voucher was unblocked and can be redeemed again.', data: aVoucher },
  'voucher.replaced': {
    summary: 'A lost voucher was replaced. Its balance is on the new voucher.',
    data: Type.Object({ voucherId, replacedBy: Type.String({ format: 'uuid' }) }),
  },
  'voucher.expired': {
    summary: 'A voucher expired with a balance, which went to the account that the issuer chose.',
    data: Type.Object({ voucherId, to: Type.Union([Type.Literal('payer'), Type.Literal('unclaimed')]) }),
  },
  'voucher.reopened': { summary: 'An expired voucher was reopened with its balance.', data: aVoucher },
  'voucher.pin_frozen': {
    summary: 'A voucher was frozen after ten wrong PINs. Reset its PIN to unfreeze it.',
    data: aVoucher,
  },
  'voucher.pin_reset': {
    summary: 'The PIN of a voucher was reset: wrong attempts are cleared, and the PIN may be new.',
    data: aVoucher,
  },
})
