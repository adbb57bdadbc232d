import { conflict, defineErrors } from '../base/errors.ts'

export const privacyError = defineErrors({
  ACCOUNT_HAS_BALANCE: conflict('The wallet has a balance. Spend it, send it or withdraw it first.'),
  ACCOUNT_HAS_HOLDS: conflict('An amount of the wallet is on hold. Wait until it is captured or released.'),
  ACCOUNT_HAS_REQUESTS: conflict('The account has open payment requests. Pay or decline them first.'),
  ACCOUNT_HAS_DEPOSITS: conflict('The account has open crypto deposits. Wait until they are credited or expire.'),
  ACCOUNT_HAS_PAYOUTS: conflict('A payout to the account is waiting. Wait until it arrives or is cancelled.'),
  ACCOUNT_HAS_VOUCHERS: conflict('The account has vouchers with a balance. Redeem them first.'),
  ACCOUNT_IS_ONLY_OWNER: conflict(
    'The user is the only owner of a merchant. Make another staff member an owner first.',
  ),
  ADDRESS_HAS_INVOICES: conflict('An invoice from this address is not settled. Reject or pay it first.'),
  ADDRESS_HAS_OUTFLOWS: conflict('A payment to this address waits for approval. Approve or cancel it first.'),
})
