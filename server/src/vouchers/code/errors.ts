import {
  conflict,
  defineErrors,
  forbidden,
  insufficient,
  notFound,
  tooMany,
  unacceptable,
  unavailable,
} from '../../base/errors.ts'

export const voucherError = defineErrors({
  VOUCHER_CODE_MISTYPED: unacceptable('This is not a valid voucher code. Check for missing or mistyped characters.'),
  VOUCHER_NOT_FOUND: notFound('No valid voucher has this code.'),
  ISSUED_UNKNOWN: notFound('You have not issued a voucher with this id.'),
  ISSUED_NOT_HANDED_OVER: conflict('Download the batch of this voucher before you view its code.'),
  VOUCHER_ELSEWHERE: forbidden('This voucher can only be redeemed at other merchants.'),
  VOUCHER_BLOCKED: conflict('This voucher is blocked.'),
  VOUCHER_INACTIVE: conflict('This card was not sold yet. Sell it to activate it.'),
  VOUCHER_CANCELLED: conflict('This voucher was cancelled.'),
  VOUCHER_EXPIRED: conflict('This voucher has expired.'),
  VOUCHER_NOT_VALID_YET: conflict('This voucher cannot be used yet.'),
  VOUCHER_WRONG_WEEKDAY: conflict('This voucher cannot be used on this day of the week.'),
  VOUCHER_BOUND: forbidden(
    'This voucher is bound to a person. Name that customer or user with the secret key, as customerId or userIdentifier.',
  ),
  VOUCHER_PERSON_SECRET_NEEDED: forbidden(
    'Only the secret key can say who uses a voucher. Send it as X-API-Private-Key.',
  ),
  VOUCHER_PURCHASE_MISSING: unacceptable(
    'This voucher needs a minimum purchase. Send the total of the order as purchaseAmount.',
  ),
  VOUCHER_MINIMUM_PURCHASE: conflict('The total of the order is below the minimum purchase of this voucher.'),
  VOUCHER_ORDER_MISSING: unacceptable(
    'Only one voucher like this can be used for an order. Send the number of the order as orderReference.',
  ),
  VOUCHER_ONE_PER_ORDER: conflict('A voucher like this was already used for this order.'),
  VOUCHER_FROZEN: forbidden('The lock PIN was wrong ten times. The issuer can reset it.'),
  VOUCHER_PIN_MISSING: forbidden('This voucher is locked with a 4-digit PIN.'),
  VOUCHER_PIN_WRONG: forbidden('Incorrect lock PIN.'),
  VOUCHER_PIN_LOCKED: forbidden('The lock PIN was wrong five times. Try again in 15 minutes.'),
  VOUCHER_BALANCE_TOO_LOW: insufficient('The voucher balance does not cover this amount and its fee.'),
  VOUCHER_EMPTY: insufficient('This voucher has no balance left.'),
  VOUCHER_SECRET_NEEDED: forbidden(
    'This merchant redeems vouchers with its secret key only. Send it as X-API-Private-Key.',
  ),
  VOUCHER_GUESSING: tooMany('Too many unknown codes. Retry after the time in the Retry-After header.'),
  VOUCHER_ONCHAIN_UNAVAILABLE: unacceptable(
    'No network holds vouchers in this currency. Issue it offchain, or choose another currency or network.',
  ),
  ONCHAIN_AMOUNT_INVALID: unacceptable(
    'An onchain voucher must be worth more than its gas, and its amount a multiple of the smallest unit on the network.',
  ),
  VOUCHER_NOT_FOR_WALLETS: unacceptable('An onchain voucher cannot be put into a wallet. Redeem it to an address.'),
  STORE_VOUCHER_NOT_FOR_WALLETS: unacceptable(
    'A store voucher cannot be put into a balance. Spend it at the shop that sold it.',
  ),
  STORE_VOUCHER_PAYS_NO_ADDRESS: unacceptable('A store voucher cannot be redeemed to a wallet address.'),
  STORE_VOUCHER_NOT_CONVERTED: unacceptable(
    'A store voucher is redeemed in its own currency. Leave out the other one.',
  ),
  STORE_VOUCHER_TERMS: unacceptable('A store voucher is accepted by its issuer only and cannot be onchain.'),
  VOUCHER_PROCESSING: conflict('This voucher is being created on its network. Try again in a minute.'),
  VOUCHER_CLOSING: conflict('This voucher is being closed on its network.'),
  REDEMPTION_PROCESSING: conflict('Another redemption of this voucher is on its way. Try again when it has ended.'),
  VOUCHER_PAYS_NO_ADDRESS: conflict('This voucher is redeemed in shops. It cannot be paid to a wallet address.'),
  WALLET_ADDRESS_INVALID: unacceptable(
    'Enter a wallet address that you can receive at: 0x and 40 hexadecimal digits, with a correct checksum if it has one.',
  ),
  WALLET_ADDRESS_DENIED: forbidden('The operator does not pay to this address.'),
  WALLET_CURRENCY_MISSING: unacceptable('Enter the currency that the wallet receives as toCurrencyAbbreviation.'),
  WALLET_CURRENCY_UNKNOWN: unacceptable('This network does not have this currency.'),
  WALLET_CURRENCY_OTHER: unacceptable('An onchain voucher pays a wallet address in its own currency.'),
  WALLET_NETWORK_UNKNOWN: notFound('No active network has this abbreviation.'),
  WALLET_NETWORK_OTHER: unacceptable('This voucher is on another network.'),
  NETWORK_PAYS_NOTHING: unacceptable('Vouchers cannot be redeemed to wallet addresses on this network.'),
  GAS_RATE_UNKNOWN: unavailable('There is no current rate for the currency that gas is paid in. Try again later.'),
  AMOUNT_TOO_SMALL_TO_CONVERT: unacceptable('The amount is worth less than the smallest unit of the other currency.'),
  QUOTE_STALE: conflict(
    'This quote has expired, was used, is for another redemption, or the rate has moved. Request a new quote.',
  ),
  EXPIRY_INVALID: unacceptable(
    'Enter a future expiry date such as 2030-12-31, or a time such as 2030-12-31T18:00:00Z.',
  ),
  RULES_ONCHAIN: unacceptable(
    'An onchain voucher cannot have rules, because its holder can redeem it on the network. Issue it offchain.',
  ),
  RULES_START_INVALID: unacceptable(
    'Enter the start as a date such as 2030-06-01, or a time such as 2030-06-01T09:00:00Z, before the voucher expires.',
  ),
  RULES_BOUND_TWICE: unacceptable('Bind a voucher to a customer or to a user, not to both.'),
  RECIPIENT_MISSING: unacceptable('Enter the email address of the recipient as forEmail.'),
  RECIPIENT_TWICE: unacceptable('Issue a voucher to an email address or to a merchant, not to both.'),
  ISSUER_BALANCE_TOO_LOW: insufficient('Your balance does not cover this voucher.'),
})
