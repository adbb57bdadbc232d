import type { Operation } from './document.ts'

const badBody = ['BODY_MALFORMED', 'BODY_TOO_LARGE', 'BODY_TYPE_UNKNOWN', 'FIELD_INVALID']
const unauthenticated = ['KEY_MISSING', 'KEY_SECRET_AS_BEARER', 'KEY_UNKNOWN']
const publicKeyRefused = ['KEY_SECRET_FOREIGN', 'ORIGIN_FORBIDDEN']
const secretKeyRefused = ['KEY_SECRET_FOREIGN', 'KEY_SECRET_MISSING', 'ORIGIN_FORBIDDEN']
const sandboxRefused = [...secretKeyRefused, 'SANDBOX_ONLY']
const unavailable = ['OUTCOME_UNKNOWN', 'STOPPING', 'UNAVAILABLE']
const writeUnavailable = [...unavailable, 'TRANSACTION_AGAIN']
const ledgerUnavailable = [...writeUnavailable, 'LEDGER_BUSY', 'LEDGER_UNAVAILABLE']

/** The names of responses that many operations share. */
export const sharedErrors: Readonly<Record<string, readonly string[]>> = {
  BadBody: badBody,
  Unauthenticated: unauthenticated,
  PublicKeyRefused: publicKeyRefused,
  SecretKeyRefused: secretKeyRefused,
  SandboxRefused: sandboxRefused,
  Unavailable: unavailable,
  WriteUnavailable: writeUnavailable,
  LedgerUnavailable: ledgerUnavailable,
}

const ledger = ['LEDGER_BUSY', 'LEDGER_UNAVAILABLE']
const digits = ['AMOUNT_INVALID', 'AMOUNT_TOO_LARGE', 'AMOUNT_TOO_PRECISE']
const amount = [...digits, 'AMOUNT_ABOVE_LIMIT', 'AMOUNT_ZERO', 'CURRENCY_UNKNOWN']
const amountMin = [...amount, 'AMOUNT_BELOW_LIMIT']
const reference = ['REFERENCE_INVALID', 'REFERENCE_TAKEN']
const exchange = ['EXCHANGE_STOPPED', 'RATE_UNKNOWN']
const exchangeAndPost = [...exchange, 'EXCHANGE_LIMIT_REACHED', ...ledger]
const outflow = [...reference, ...ledger, 'OUTFLOW_ABOVE_DAILY']
const refundRecipient = [
  'PEOPLE_TOO_MANY',
  'REFUND_MERCHANT_UNKNOWN',
  'REFUND_RECIPIENT_MISSING',
  'REFUND_RECIPIENT_TWICE',
  'REFUND_TO_YOURSELF',
  'USER_NOT_FOUND',
]
const printing = ['PRINT_BUSY', 'PRINT_TOO_SLOW']
const ownVoucher = ['VOUCHER_CANCELLED', 'VOUCHER_REPLACED', 'VOUCHER_UNKNOWN']
const pin = ['KEY_RING_INCOMPLETE', 'VOUCHER_PIN_LOCKED', 'VOUCHER_PIN_MISSING', 'VOUCHER_PIN_WRONG']
const code = ['VOUCHER_CODE_MISTYPED', 'VOUCHER_GUESSING', 'VOUCHER_NOT_FOUND']
const unusable = ['VOUCHER_BLOCKED', 'VOUCHER_CANCELLED', 'VOUCHER_ELSEWHERE', 'VOUCHER_FROZEN']
const redemption = [
  ...amountMin,
  ...code,
  ...pin,
  ...unusable,
  'AMOUNT_TOO_SMALL_TO_CONVERT',
  'VOUCHER_BALANCE_TOO_LOW',
  'VOUCHER_EMPTY',
  'VOUCHER_EXPIRED',
  'CHAIN_ONE_NODE',
  'CHAIN_UNWATCHED',
  'GAS_RATE_UNKNOWN',
  'NETWORK_PAYS_NOTHING',
  'ONCHAIN_AMOUNT_INVALID',
  'STORE_VOUCHER_NOT_CONVERTED',
  'STORE_VOUCHER_PAYS_NO_ADDRESS',
  'VOUCHER_CLOSING',
  'VOUCHER_NOT_FOR_WALLETS',
  'VOUCHER_PROCESSING',
  'WALLET_ADDRESS_DENIED',
  'WALLET_ADDRESS_INVALID',
  'WALLET_CURRENCY_MISSING',
  'WALLET_CURRENCY_OTHER',
  'WALLET_CURRENCY_UNKNOWN',
  'WALLET_NETWORK_OTHER',
  'WALLET_NETWORK_UNKNOWN',
]
const hold = ['VOUCHER_BLOCKED', 'VOUCHER_HOLD_ENDED', 'VOUCHER_HOLD_EXPIRED', 'VOUCHER_HOLD_NOT_FOUND']
const onchainIssue = ['EXPIRY_INVALID', 'ONCHAIN_AMOUNT_INVALID', 'VOUCHER_ONCHAIN_UNAVAILABLE']
const deposit = [
  ...amountMin,
  ...exchange,
  'CHAIN_ONE_NODE',
  'CHAIN_UNWATCHED',
  'DEPOSIT_CURRENCY_REFUSED',
  'DEPOSIT_NETWORK_UNKNOWN',
]
const webhookTerms = ['WEBHOOK_TARGET_PRIVATE', 'WEBHOOK_TYPE_UNKNOWN', 'WEBHOOK_URL_INVALID']
const webhookDelivery = ['WEBHOOK_DELIVERY_UNKNOWN', 'WEBHOOK_ENDPOINT_UNKNOWN']

/** The codes that an operation can return to a client with keys, besides those that every operation can return. */
export const ownErrors: Readonly<Record<string, readonly string[]>> = {
  'add-new-customer': ['CUSTOMER_EMAIL_TAKEN', 'REFERENCE_TAKEN'],
  'admin-balance': ['CURRENCY_UNKNOWN'],
  'approve-invoice': [...ledger, ...onchainIssue, 'INVOICE_DECIDED', 'INVOICE_NOT_FOUND', 'OUTFLOW_ABOVE_DAILY'],
  'block-voucher': ownVoucher,
  'cancel-outflow': [...ledger, 'OUTFLOW_ENDED', 'OUTFLOW_NOT_FOUND'],
  'cancel-payment-request': ['PAYMENT_ENDED', 'PAYMENT_NOT_FOUND'],
  'cancel-payout': [...ledger, 'OUTFLOW_ENDED', 'OUTFLOW_NOT_FOUND'],
  'cancel-voucher': [
    ...ownVoucher,
    ...ledger,
    ...pin,
    'CONSENT_MISSING',
    'VOUCHER_CLOSING',
    'VOUCHER_CODE_MISTYPED',
    'VOUCHER_EXPIRED',
    'VOUCHER_FROZEN',
    'VOUCHER_HELD',
  ],
  'capture-voucher-hold': [
    ...amountMin,
    ...reference,
    ...exchangeAndPost,
    ...hold,
    'AMOUNT_TOO_SMALL_TO_CONVERT',
    'STORE_VOUCHER_NOT_CONVERTED',
    'VOUCHER_HOLD_TOO_SMALL',
  ],
  'confirm-user': ['PEOPLE_TOO_MANY', 'USER_NOT_FOUND'],
  'create-invoice': [
    ...digits,
    'CURRENCY_UNKNOWN',
    'INVOICES_TOO_MANY',
    'INVOICE_ADDRESS_INVALID',
    'INVOICE_CURRENCY_REFUSED',
    'INVOICE_DATE_INVALID',
    'INVOICE_EMPTY',
    'INVOICE_MERCHANT_FOREIGN',
    'INVOICE_NETWORK_UNKNOWN',
    'INVOICE_NUMBER_TAKEN',
    'INVOICE_QUANTITY_INVALID',
    'INVOICE_TAX_INVALID',
    'INVOICE_TOO_LARGE',
    'INVOICE_TOTAL_DIFFERS',
    'REFERENCE_TAKEN',
  ],
  'create-voucher-batch': [...amountMin, ...outflow, ...onchainIssue, 'BATCH_BALANCE_TOO_LOW', 'MERCHANT_NOT_FOUND'],
  'create-voucher-hold': [
    ...amountMin,
    ...code,
    ...pin,
    ...unusable,
    ...reference,
    ...ledger,
    'VOUCHER_BALANCE_TOO_LOW',
    'VOUCHER_EMPTY',
    'VOUCHER_EXPIRED',
    'VOUCHER_HOLD_ONCHAIN',
    'VOUCHER_HOLD_TOO_LONG',
    'VOUCHER_SECRET_NEEDED',
  ],
  'create-webhook-endpoint': [...webhookTerms, 'REFERENCE_TAKEN', 'WEBHOOK_ENDPOINTS_FULL'],
  'credit-deposit-case': [...ledger, 'CASE_NOT_FOUND', 'CASE_RESOLVED'],
  'delete-customer': ['CUSTOMER_NOT_FOUND'],
  'delete-webhook-endpoint': ['WEBHOOK_ENDPOINT_UNKNOWN'],
  'deposit-address-payment-request': [...deposit, ...reference, 'DEPOSITS_TOO_MANY', 'METADATA_TOO_DEEP'],
  events: ['CURSOR_UNKNOWN'],
  'export-voucher-batch': ['BATCH_NOT_FOUND', 'BATCH_NOT_READY'],
  'extend-voucher-hold': [...ledger, ...hold, 'VOUCHER_HOLD_TOO_LONG'],
  'fetch-balance': ['CURRENCY_UNKNOWN'],
  'fetch-one-invoice': ['INVOICE_NOT_FOUND'],
  'fetch-voucher-batch': ['BATCH_NOT_FOUND'],
  'fetch-voucher-hold': ['VOUCHER_HOLD_NOT_FOUND'],
  'fetch-voucher-redemption-charges': [...redemption, ...exchange],
  'fetch-webhook-delivery': webhookDelivery,
  'fetch-webhook-endpoint': ['WEBHOOK_ENDPOINT_UNKNOWN'],
  'import-vouchers': [
    ...outflow,
    'BATCH_BALANCE_TOO_LOW',
    'CURRENCY_UNKNOWN',
    'IMPORT_COLUMNS',
    'IMPORT_EMPTY',
    'IMPORT_ROWS_BAD',
    'IMPORT_TOO_LONG',
    'IMPORT_UNCONFIRMED',
    'IMPORT_UNREADABLE',
  ],
  'invoice.pdf': ['INVOICE_NOT_FOUND', ...printing],
  'issue-voucher': [
    ...amountMin,
    ...outflow,
    ...onchainIssue,
    'ISSUER_BALANCE_TOO_LOW',
    'MERCHANT_NOT_FOUND',
    'RECIPIENT_MISSING',
    'RECIPIENT_TWICE',
  ],
  'list-transactions': ['CURRENCY_UNKNOWN'],
  'list-webhook-deliveries': ['WEBHOOK_ENDPOINT_UNKNOWN'],
  'mail-receipt': ['RECEIPTS_TOO_MANY', 'RECEIPT_IMPOSSIBLE', 'TRANSACTION_NOT_FOUND'],
  'pay-invoice': [
    ...ledger,
    'INVOICE_BALANCE_TOO_LOW',
    'INVOICE_NOT_FOUND',
    'INVOICE_NOT_PAYABLE',
    'INVOICE_PAYMENT_WAITING',
    'OUTFLOW_ABOVE_DAILY',
  ],
  'pay-sandbox-deposit': [...digits, 'CHAIN_UNREACHABLE', 'CHAIN_UNWATCHED', 'DEPOSIT_NOT_FOUND'],
  'payment-request': [
    ...amountMin,
    ...reference,
    'METADATA_TOO_DEEP',
    'PAYMENTS_TOO_MANY',
    'PEOPLE_TOO_MANY',
    'USER_NOT_FOUND',
  ],
  payout: [
    ...amountMin,
    ...outflow,
    ...exchangeAndPost,
    'PAYOUT_BALANCE_TOO_LOW',
    'PAYOUT_CONVERTS_TO_NOTHING',
    'PAYOUT_NETWORK_UNKNOWN',
    'PEOPLE_TOO_MANY',
    'USER_NOT_FOUND',
  ],
  'print-voucher-batch': ['BATCH_NOT_FOUND', 'BATCH_NOT_READY', ...printing],
  'redeem-voucher': [
    ...redemption,
    ...reference,
    ...exchangeAndPost,
    'QUOTE_STALE',
    'REDEMPTION_PROCESSING',
    'VOUCHER_SECRET_NEEDED',
  ],
  refund: [
    ...amount,
    ...reference,
    ...exchangeAndPost,
    ...refundRecipient,
    'OUTFLOW_ABOVE_DAILY',
    'REFUND_BALANCE_TOO_LOW',
    'REFUND_CONVERTS_TO_NOTHING',
    'REFUND_IMPOSSIBLE',
    'REFUND_OF_USER',
    'REFUND_RECIPIENT_FIXED',
    'REFUND_TOO_LARGE',
    'REFUND_TO_SELF',
    'TRANSACTION_ARCHIVED',
    'TRANSACTION_NOT_FOUND',
  ],
  'reject-invoice': ['INVOICE_DECIDED', 'INVOICE_NOT_FOUND'],
  'release-voucher-hold': [...ledger, 'VOUCHER_HOLD_ENDED', 'VOUCHER_HOLD_EXPIRED', 'VOUCHER_HOLD_NOT_FOUND'],
  'reopen-voucher': [
    ...ownVoucher,
    ...ledger,
    'OUTFLOW_ABOVE_DAILY',
    'OUTFLOW_ABOVE_THRESHOLD',
    'REOPEN_BALANCE_TOO_LOW',
    'VOUCHER_CLOSING',
    'VOUCHER_NOT_EXPIRED',
  ],
  'replace-voucher': [
    ...ownVoucher,
    ...outflow,
    'VOUCHER_CLOSING',
    'PIN_NEEDED',
    'VOUCHER_EMPTY',
    'VOUCHER_EXPIRED',
    'VOUCHER_HELD',
  ],
  'replay-failed-webhook-deliveries': ['WEBHOOK_ENDPOINT_UNKNOWN'],
  'replay-webhook-delivery': webhookDelivery,
  'request-wallet-deposit-charges': deposit,
  'reset-voucher-pin': [...ownVoucher, 'VOUCHER_NOT_LOCKED'],
  'return-deposit-case': [...outflow, ...refundRecipient, 'CASE_NOT_FOUND', 'CASE_RESOLVED', 'REFUND_OF_USER'],
  'reveal-voucher-code': ['ISSUED_NOT_HANDED_OVER', 'ISSUED_UNKNOWN', 'KEY_RING_INCOMPLETE'],
  'revoke-invoice-links': ['INVOICE_NOT_FOUND'],
  'rotate-webhook-secret': ['WEBHOOK_ENDPOINT_UNKNOWN'],
  'sandbox-authorise': [
    ...exchangeAndPost,
    'EXCHANGE_DAILY_LIMIT',
    'PAYMENT_ENDED',
    'PAYMENT_NOT_FOUND',
    'WALLET_LIMIT',
    'WALLET_TOO_LOW',
  ],
  'sandbox-decline': ['PAYMENT_ENDED', 'PAYMENT_NOT_FOUND'],
  'sandbox-expire-voucher-hold': [...ledger, 'VOUCHER_HOLD_ENDED', 'VOUCHER_HOLD_EXPIRED', 'VOUCHER_HOLD_NOT_FOUND'],
  'sandbox-fund': [...amount, ...reference, ...ledger, 'USER_NOT_FOUND'],
  'sandbox-voucher': [...amountMin, ...reference, ...ledger, ...onchainIssue, 'STORE_VOUCHER_TERMS'],
  'set-invoice-currencies': ['CURRENCY_UNKNOWN'],
  'stream-events': ['CURSOR_UNKNOWN'],
  'test-webhook-endpoint': ['WEBHOOK_ENDPOINT_DISABLED', 'WEBHOOK_ENDPOINT_UNKNOWN'],
  'unblock-voucher': ownVoucher,
  'update-brand': ['ACCENT_INVALID', 'ADDRESS_TOO_LONG'],
  'update-customer': ['CUSTOMER_EMAIL_TAKEN', 'CUSTOMER_NOT_FOUND'],
  'update-deposit-settings': digits,
  'update-webhook-endpoint': [...webhookTerms, 'WEBHOOK_ENDPOINT_UNKNOWN'],
  'upload-logo': ['IMAGE_ANIMATED', 'IMAGE_BROKEN', 'IMAGE_BUSY', 'IMAGE_FORMAT_UNKNOWN', 'IMAGE_TOO_LARGE'],
  'verify-transaction': ['TRANSACTION_NOT_FOUND'],
  'verify-voucher': [...code, ...unusable],
}

/** All codes that an operation can return. */
export function errorsOf({ operationId, security = [], tags = [] }: Operation, method: string): string[] {
  const isRead = method === 'get'
  const needsSecret = security.some((needs) => 'secretKey' in needs)
  const refused = tags.includes('Sandbox') ? sandboxRefused : needsSecret ? secretKeyRefused : publicKeyRefused
  return [
    ...(isRead ? ['FIELD_INVALID'] : badBody),
    ...unauthenticated,
    ...refused,
    ...(isRead ? unavailable : writeUnavailable),
    ...(ownErrors[operationId] ?? []),
    'RATE_LIMITED',
    'INTERNAL',
  ]
}
