import Type, { type Static } from 'typebox'
import { chargeFields } from '../../catalogue/charge/wire.ts'
import { wireCurrency } from '../../catalogue/currency/wire.ts'
import { money, named, wireAmount } from '../../http/schema.ts'
import { wireReference } from '../../payments/transaction/wire.ts'
import { weekdays } from './rules.ts'

// The only file that knows the API's field names of vouchers and quotes.
export const lockPin = Type.String({ pattern: '^[0-9]{4}$', description: 'The PIN of a locked voucher, 4 digits' })

const validFrom = Type.String({
  maxLength: 40,
  description: 'A date, which means the start of that day in your time zone, or a time',
})
const days = Type.Array(Type.Enum([...weekdays], { title: 'Weekday' }), {
  minItems: 1,
  uniqueItems: true,
  description: 'In the time zone of the merchant where it is redeemed',
})
const userIdentifier = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'The email address, username or phone number of a user',
})

/** What restricts the use of new vouchers. */
export const rulesBody = Type.Object(
  {
    minimumPurchase: Type.Optional(wireAmount('The least total of an order, in the currency of the voucher')),
    validFrom: Type.Optional(validFrom),
    weekdays: Type.Optional(days),
    onePerOrder: Type.Optional(Type.Boolean({ description: 'One voucher with this rule for each order' })),
    customerId: Type.Optional(Type.String({ format: 'uuid', description: 'Binds it to one of your customers' })),
    userIdentifier: Type.Optional(userIdentifier),
  },
  {
    additionalProperties: false,
    description:
      'Who may use it, when, and for which orders. Bind it to a customer or to a user. Not for onchain vouchers',
  },
)

export const issueTerms = {
  currency: Type.String({ minLength: 1, maxLength: 12 }),
  onlyAt: Type.Optional(
    Type.Array(Type.String({ maxLength: 16 }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Codes of the merchants where it can be redeemed. Leave out for everywhere',
    }),
  ),
  expiresAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'A date, which means the end of that day in your time zone, or a time' }),
  ),
  rules: Type.Optional(rulesBody),
  referenceId: Type.Optional(wireReference),
}

const wireRules = named('VoucherRules', {
  minimumPurchase: money('The least total of an order, in the currency of the voucher. 0 without a minimum'),
  validFrom: Type.String({ description: 'A time. Empty without a start' }),
  weekdays: Type.Array(Type.Enum([...weekdays], { title: 'Weekday' }), { description: 'Empty for every day' }),
  onePerOrder: Type.Boolean(),
  isBound: Type.Boolean({ description: 'True if it is bound to a customer or to a user' }),
  customerId: Type.String({ description: 'For the issuer with its secret key, else empty' }),
  userIdentifier: Type.String({
    description: 'As the issuer wrote it, for the issuer with its secret key. Else empty',
  }),
})
export const shownRules = Type.Union([Type.Null(), wireRules], { description: 'Null without rules' })

/** What the shop says about an order and its customer, for the rules of a voucher. */
export const purchaseFields = {
  purchaseAmount: Type.Optional(
    wireAmount('The total of the order, in the currency of the voucher. For vouchers with a minimum purchase'),
  ),
  orderReference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      description: 'Your number of the order. For vouchers of which an order takes only one',
    }),
  ),
  customerId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Your customer, with the secret key. For vouchers bound to a customer',
    }),
  ),
  userIdentifier: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description:
        'The email address, username or phone number of the user, with the secret key. For vouchers bound to a user',
    }),
  ),
}

/** For vouchers whose value a contract on a network holds. */
export const onchainFields = {
  onchain: Type.Optional(Type.Boolean({ description: 'Puts its value into a contract on a network' })),
  network: Type.Optional(
    Type.String({
      maxLength: 36,
      description: 'The network, by abbreviation or id. The first with the currency if left out',
    }),
  ),
}

export const wireState = Type.Enum(['open', 'inactive', 'expired', 'frozen', 'blocked', 'cancelled', 'replaced'], {
  title: 'VoucherState',
  description: 'open, or why it cannot be used. inactive: a card that was not sold yet',
})

export const wireOnchain = named('OnchainVoucher', {
  balance: Type.String({ description: 'In the smallest unit on the network, as last seen final' }),
  value: Type.String({ description: 'What it was created with, in the smallest unit' }),
  codeHash: Type.String({ description: 'Its name in the vault' }),
  creator: Type.String({ description: 'The address that created it' }),
  isRedeemed: Type.Boolean({ description: 'True if nothing is left' }),
  transactionHash: Type.String({ description: 'The transaction that created it' }),
  networkId: Type.String(),
  vault: Type.String({ description: 'The contract that holds its value' }),
})

const voucherFields = {
  id: Type.String(),
  amount: money('The amount it was issued with'),
  balance: money('What can be redeemed: the remaining balance without heldAmount'),
  heldAmount: money('What open holds reserve. It is neither redeemed nor available'),
  generatedCurrency: wireCurrency,
  code: Type.String(),
  wasPaidFor: Type.Boolean({ description: 'False if the operator or the sandbox funded it' }),
  isUsed: Type.Boolean({ description: 'True if the balance is 0 and nothing is held' }),
  createdAt: Type.String({ format: 'date-time' }),
  createdForMerchant: Type.Boolean({ description: 'Issued for a merchant' }),
  createdForExistingUser: Type.Boolean({ description: 'Issued for a user with an account' }),
  createdForNonExistingUser: Type.Boolean({ description: 'Issued for an email address without an account' }),
  isLocked: Type.Boolean({ description: 'True if it has a lock PIN' }),
  onchain: Type.Boolean({ description: 'True if a contract on a network holds its value' }),
  onchainProcessing: Type.Boolean({
    description: 'True until it is on its network for good. It cannot be redeemed before',
  }),
  cryptoVoucherDetails: Type.Union([Type.Null(), wireOnchain]),
  transactionHash: Type.String({ description: 'The transaction that created an onchain voucher on its network' }),
  metaData: Type.String({ description: 'Of an onchain voucher: JSON with explorerUrl and transactionHash' }),
  expiresAt: Type.String({ description: 'Empty if it does not expire' }),
  state: wireState,
  voucherType: Type.Enum(['platform', 'store'], {
    title: 'VoucherType',
    description: 'A store voucher was sold by a shop for money that it took itself, and only that shop accepts it',
  }),
  rules: shownRules,
}
export const wireVoucher = named('Voucher', voucherFields)
export type WireVoucher = Static<typeof wireVoucher>
export const listedVoucher = named('ListedVoucher', {
  ...voucherFields,
  code: Type.String({ description: 'Empty in a list' }),
  codeTail: Type.String({ description: 'The last characters of the code' }),
})

export const redeemedVoucher = named('Redemption', {
  id: Type.String(),
  voucherID: Type.String(),
  amount: money(),
  createdAt: Type.String({ format: 'date-time' }),
  isMerchant: Type.Boolean(),
  redeemedUserID: Type.String({ description: 'The merchant’s id if isMerchant is true; empty if you may not see it' }),
  redeemerWalletAddress: Type.String({ description: 'The address that was paid; empty if a balance was credited' }),
  user: Type.Object({
    id: Type.String(),
    externalID: Type.String({ description: 'For a merchant: its code' }),
    avatar: Type.String(),
    email: Type.String(),
    otherNames: Type.String(),
    surname: Type.String({ description: 'For a merchant: its trading name' }),
    username: Type.String({ description: 'For a merchant: its code' }),
    phone: Type.String(),
    regChannel: Type.String(),
    emailVerified: Type.Boolean(),
    isActive: Type.Boolean(),
    isPinSet: Type.Boolean(),
    role: Type.Enum(['MERCHANT', 'USER', ''], {
      description: 'MERCHANT if a merchant’s balance was credited, else USER; empty if you may not see it',
    }),
  }),
})
export const verifiedVoucher = named('VerifiedVoucher', {
  ...voucherFields,
  redeemedVouchers: Type.Array(redeemedVoucher),
})

export const wireQuote = named('RedemptionQuote', {
  ...chargeFields,
  chargedTo: Type.Union([Type.Literal('voucher'), Type.Literal('merchant')], { description: 'Who pays the fee' }),
  quoteId: Type.String({
    description:
      'Send it with redeem-voucher to get exactly this price, once. A price with a currency conversion is refused if the market has moved',
  }),
  expiresAt: Type.String({ format: 'date-time', description: 'When the quote expires, after 5 minutes' }),
})
export type WireQuote = Static<typeof wireQuote>

/** The price of a redemption and the voucher that pays it. */
export const wirePriced = Type.Object({ charges: wireQuote, voucher: wireVoucher })
export type WirePriced = Static<typeof wirePriced>

export const wireRedeemed = Type.Object({
  transactionId: Type.String(),
  referenceId: Type.String(),
  receipt: Type.String({ description: 'Signed with a key of /.well-known/scrip-receipt-keys.json' }),
})
export type WireRedeemed = Static<typeof wireRedeemed>

export const revealedCode = Type.Object({
  code: Type.String(),
  network: Type.Optional(Type.String({ description: 'Of an onchain voucher: the name of its network' })),
  vault: Type.Optional(Type.String({ description: 'Of an onchain voucher: the contract that holds its value' })),
})
export type RevealedCode = Static<typeof revealedCode>

// What our own pages show of a voucher on its network, with other spellings than the merchant API.
export const shownOnchain = Type.Object({
  state: Type.Enum(['creating', 'open', 'closing']),
  network: Type.String(),
  vault: Type.String({ description: 'The contract that holds its value' }),
  vaultUrl: Type.String(),
  balance: Type.String({ description: 'On the network, as last seen final' }),
  transactionUrl: Type.String({ description: 'Of the transaction that created it; empty until that is final' }),
})
export type ShownOnchain = Static<typeof shownOnchain>

export const sentStatuses = ['PROCESSING', 'COMPLETED', 'FAILED'] as const

export const shownPayout = Type.Object({
  status: Type.Enum(sentStatuses),
  recipient: Type.String({ description: 'The address that is paid; empty if a merchant is credited' }),
  recipientUrl: Type.String(),
  network: Type.String(),
  transactionHash: Type.String({ description: 'Empty until it is sent' }),
  transactionUrl: Type.String(),
})
export type ShownPayout = Static<typeof shownPayout>
