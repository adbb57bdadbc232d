import type { Static } from 'typebox'
import { toWireCharges } from '../../catalogue/charge/to-wire.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { type LogoUrl, wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import type { redeemedVoucher, wireQuote } from '../voucher/wire.ts'
import type { Quoted } from './quote-redemption.ts'
import type { ShownRedemption } from './verify.ts'

export function toRedeemedVoucher(
  { id, amount, createdAt, merchant, user, recipient }: ShownRedemption,
  voucherId: string,
  currency: CatalogueCurrency,
): Wire<Static<typeof redeemedVoucher>> {
  return {
    id,
    voucherID: voucherId,
    amount: wireMoney(amount, currency),
    createdAt: createdAt.toISOString(),
    isMerchant: user === undefined,
    redeemedUserID: merchant?.id ?? user?.id ?? '',
    redeemerWalletAddress: recipient,
    user: {
      id: merchant?.id ?? user?.id ?? '',
      externalID: merchant?.code ?? user?.externalId ?? '',
      avatar: user?.avatar ?? '',
      email: user?.email ?? '',
      otherNames: user?.otherNames ?? '',
      surname: merchant?.name ?? user?.surname ?? '',
      username: merchant?.code ?? user?.username ?? '',
      phone: user?.phone ?? '',
      regChannel: user?.regChannel ?? '',
      emailVerified: user !== undefined,
      isActive: merchant !== undefined || user?.isActive === true,
      isPinSet: user?.isPinSet === true,
      role: merchant !== undefined ? 'MERCHANT' : user !== undefined ? 'USER' : '',
    },
  }
}

export function toWireQuote(
  { request, price, offer, quoteId, expiresAt, gas, chargesInWei }: Quoted,
  logoUrl: LogoUrl,
): Wire<Static<typeof wireQuote>> {
  const { amount, toAmount, charge, chargedTo } = offer
  const { currency, to, terms } = request
  const deducted = chargedTo === 'voucher' ? amount + charge : amount
  const { sharePpm } = terms.rule
  const facts = { amount, toAmount, charge: charge - gas, gas, chargesInWei, deducted, currency, to, price, sharePpm }
  return { ...toWireCharges(facts, logoUrl), chargedTo, quoteId, expiresAt: expiresAt.toISOString() }
}
