import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import { chargeFields, toWireCharges } from '../charge/wire.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireCurrency, wireMoney } from '../currency/wire.ts'
import { showCode } from './code.ts'
import { isExpired } from './expiry.ts'
import type { Quoted } from './quote-redemption.ts'
import type { Voucher } from './store.ts'
import type { ShownRedemption } from './verify.ts'

/** The interface's own spellings and odd names of vouchers and charges live here, and nowhere else. */
export const issueTerms = {
  currency: Type.String({ minLength: 1, maxLength: 12 }),
  onlyAt: Type.Optional(
    Type.Array(Type.String({ maxLength: 16 }), {
      maxItems: 100,
      uniqueItems: true,
      description: 'Codes of the merchants where it can be redeemed. None: everywhere',
    }),
  ),
  expiresAt: Type.Optional(
    Type.String({ maxLength: 40, description: 'A date, to its end in your time zone, or a time' }),
  ),
  referenceId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
}

const voucherFields = {
  id: Type.String(),
  amount: Type.Number({ description: 'What it was issued with' }),
  balance: Type.Number({ description: 'What is left' }),
  generatedCurrency: wireCurrency,
  code: Type.String(),
  wasPaidFor: Type.Boolean({ description: 'False where the operator or the sandbox put up the value' }),
  isUsed: Type.Boolean({ description: 'Nothing is left' }),
  createdAt: Type.String({ format: 'date-time' }),
  createdForMerchant: Type.Boolean({ description: 'It was made for a merchant' }),
  createdForExistingUser: Type.Boolean({ description: 'It was made for a person with an account' }),
  createdForNonExistingUser: Type.Boolean({ description: 'It was made for an e-mail address without an account' }),
  isLocked: Type.Boolean({ description: 'It has a lock pin' }),
  onchain: Type.Boolean(),
  onchainProcessing: Type.Boolean(),
  cryptoVoucherDetails: Type.Null(),
  transactionHash: Type.String(),
  metaData: Type.String(),
  expiresAt: Type.String({ description: 'Empty where it does not expire' }),
  state: Type.String({ description: 'open, expired, frozen, blocked, cancelled or replaced' }),
}
export const wireVoucher = Type.Object(voucherFields)

export type WireTools = { readonly logoUrl: LogoUrl; readonly clock: Clock }

export function toWireVoucher(
  voucher: Voucher,
  code: string,
  currency: CatalogueCurrency,
  { logoUrl, clock }: WireTools,
) {
  const at = clock()
  return {
    id: voucher.id,
    amount: wireMoney(voucher.amount, currency),
    balance: wireMoney(voucher.balance, currency),
    generatedCurrency: toWireCurrency(currency, logoUrl),
    code: showCode(code),
    wasPaidFor: voucher.wasPaidFor,
    isUsed: voucher.balance === 0n,
    createdAt: voucher.createdAt.toISOString(),
    createdForMerchant: voucher.recipientKind === 'merchant',
    createdForExistingUser: voucher.recipientKind === 'user',
    createdForNonExistingUser: voucher.recipientKind === 'email',
    isLocked: voucher.hasPin,
    onchain: false,
    onchainProcessing: false,
    cryptoVoucherDetails: null,
    transactionHash: '',
    metaData: '',
    expiresAt: voucher.expiresAt?.toISOString() ?? '',
    state: stateOf(voucher, at),
  }
}

/** Whether it can be used, and if not, why. */
export function stateOf(voucher: Voucher, at: Date): string {
  const { state, replacedBy, isFrozen } = voucher
  if (replacedBy !== null) return 'replaced'
  if (state === 'closed') return 'cancelled'
  if (state === 'no_debit') return 'blocked'
  if (isFrozen) return 'frozen'
  return isExpired(voucher, at) ? 'expired' : 'open'
}

const redeemedVoucher = Type.Object({
  id: Type.String(),
  voucherID: Type.String(),
  amount: Type.Number(),
  createdAt: Type.String({ format: 'date-time' }),
  isMerchant: Type.Boolean(),
  redeemedUserID: Type.String({ description: 'The merchant’s id where isMerchant; empty for who may not know' }),
  redeemerWalletAddress: Type.String(),
  user: Type.Object({
    id: Type.String(),
    externalID: Type.String({ description: 'Of a merchant its code' }),
    avatar: Type.String(),
    email: Type.String(),
    otherNames: Type.String(),
    surname: Type.String({ description: 'Of a merchant its trading name' }),
    username: Type.String({ description: 'Of a merchant its code' }),
    phone: Type.String(),
    regChannel: Type.String(),
    emailVerified: Type.Boolean(),
    isActive: Type.Boolean(),
    isPinSet: Type.Boolean(),
    role: Type.String({ description: 'MERCHANT where a merchant redeemed for itself, else USER' }),
  }),
})
export const verifiedVoucher = Type.Object({ ...voucherFields, redeemedVouchers: Type.Array(redeemedVoucher) })

export function toRedeemedVoucher(
  { id, amount, createdAt, merchant, person }: ShownRedemption,
  voucherId: string,
  currency: CatalogueCurrency,
) {
  return {
    id,
    voucherID: voucherId,
    amount: wireMoney(amount, currency),
    createdAt: createdAt.toISOString(),
    isMerchant: person === undefined,
    redeemedUserID: merchant?.id ?? person?.id ?? '',
    redeemerWalletAddress: '',
    user: {
      id: merchant?.id ?? person?.id ?? '',
      externalID: merchant?.code ?? person?.externalId ?? '',
      avatar: person?.avatar ?? '',
      email: person?.email ?? '',
      otherNames: person?.otherNames ?? '',
      surname: merchant?.name ?? person?.surname ?? '',
      username: merchant?.code ?? person?.username ?? '',
      phone: person?.phone ?? '',
      regChannel: person?.regChannel ?? '',
      emailVerified: person !== undefined,
      isActive: merchant !== undefined || person?.isActive === true,
      isPinSet: person?.isPinSet === true,
      role: merchant !== undefined ? 'MERCHANT' : person !== undefined ? 'USER' : '',
    },
  }
}

export const wireQuote = Type.Object({
  ...chargeFields,
  chargedTo: Type.Union([Type.Literal('voucher'), Type.Literal('merchant')], { description: 'Who bears the charges' }),
  quoteId: Type.String({
    description:
      'Send it with redeem-voucher to get exactly this price, once. A converted price is refused if the market moves',
  }),
  expiresAt: Type.String({ format: 'date-time', description: 'When the quote ends, after 5 minutes' }),
})

export function toWireQuote({ wish, price, offer, quoteId, expiresAt }: Quoted, logoUrl: LogoUrl) {
  const { amount, toAmount, charge, chargedTo } = offer
  const { currency, to, terms } = wish
  const deducted = chargedTo === 'voucher' ? amount + charge : amount
  const facts = { amount, toAmount, charge, deducted, currency, to, price, sharePpm: terms.rule.sharePpm }
  return { ...toWireCharges(facts, logoUrl), chargedTo, quoteId, expiresAt: expiresAt.toISOString() }
}
