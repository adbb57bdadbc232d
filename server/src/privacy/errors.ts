import { conflict, defineErrors } from '../base/errors.ts'

export const privacyError = defineErrors({
  ACCOUNT_HAS_BALANCE: conflict('The wallet has a balance. The user has to spend, send or withdraw it first.'),
  ACCOUNT_HAS_HOLDS: conflict('An amount of the wallet is on hold. Wait until it is captured or released.'),
  ACCOUNT_HAS_REQUESTS: conflict(
    'The account has open payment requests. Wait until they are paid, declined or expired.',
  ),
  ACCOUNT_HAS_DEPOSITS: conflict('The account has open or unmatched crypto deposits. Wait until they are resolved.'),
  ACCOUNT_HAS_PAYOUTS: conflict('A payout to the account is waiting. Wait until it arrives or is canceled.'),
  ACCOUNT_HAS_REFUNDS: conflict('A refund to the account is waiting. Wait until it arrives or is canceled.'),
  ACCOUNT_HAS_GIFTS: conflict('The user bought a gift that is not sent yet. Wait until it is sent, or cancel it.'),
  ACCOUNT_HAS_VOUCHERS: conflict('The account has vouchers with a balance. Redeem or cancel them first.'),
  ACCOUNT_IS_ONLY_OWNER: conflict(
    'The user is the only owner of a merchant. Make another staff member an owner first.',
  ),
  ADDRESS_INVALID: conflict('This is not an email address.'),
  ADDRESS_HAS_INVOICES: conflict('An invoice from this address is not settled. Reject or pay it first.'),
  ADDRESS_HAS_OUTFLOWS: conflict('A payment to this address waits for approval. Approve or cancel it first.'),
  ADDRESS_HAS_GIFTS: conflict('A gift to this address is not sent yet. Wait until it is sent, or cancel it.'),
  ADDRESS_HAS_VOUCHERS: conflict('A voucher for this address has a balance. Redeem or cancel it first.'),
  ADDRESS_HAS_MAILS: conflict('An email with a code waits to be sent to this address. Try again in a minute.'),
})
