import type { Static } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { toWireCharges } from '../charge/to-wire.ts'
import type { CatalogueCurrency } from '../currency/store.ts'
import { type LogoUrl, toWireCurrency, wireMoney } from '../currency/to-wire.ts'
import type { Wire } from '../http/schema.ts'
import { showCode } from './code.ts'
import { isExpired } from './expiry.ts'
import type { Issue } from './issue.ts'
import { explorerLink } from './onchain-page.ts'
import type { OnchainVoucher } from './onchain-store.ts'
import type { Quoted } from './quote-redemption.ts'
import type { Voucher } from './store.ts'
import type { ShownRedemption } from './verify.ts'
import { redeemedVoucher, wireOnchain, wireQuote, wireState, wireVoucher } from './wire.ts'

export function readOnchain({ onchain, network }: { onchain?: boolean; network?: string }): Issue['onchain'] {
  return onchain === true ? { network: network === '' ? undefined : network } : undefined
}

type WireVoucher = Wire<Static<typeof wireVoucher>>

export type WireTools = { readonly logoUrl: LogoUrl; readonly clock: Clock }

export function toWireVoucher(
  voucher: Voucher,
  code: string,
  currency: CatalogueCurrency,
  { logoUrl, clock }: WireTools,
  onchain: OnchainVoucher | undefined,
): WireVoucher {
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
    onchain: voucher.isOnchain,
    onchainProcessing: onchain?.state === 'creating',
    cryptoVoucherDetails: voucher.isOnchain && onchain !== undefined ? toWireOnchain(onchain) : null,
    transactionHash: onchain?.createTx ?? '',
    metaData: onchain?.createTx == null ? '' : onchainMetaData(onchain.explorerUrl, onchain.createTx),
    expiresAt: voucher.expiresAt?.toISOString() ?? '',
    state: stateOf(voucher, at),
  }
}

/** Null until the vault has it for good. */
function toWireOnchain(onchain: OnchainVoucher): Static<typeof wireOnchain> | null {
  const { codeHash, creator, createTx, balance, value, networkId, vault } = onchain
  if (codeHash === null || creator === null || createTx === null) return null
  const amounts = { balance: String(balance), value: String(value), isRedeemed: balance === 0n }
  return { ...amounts, codeHash, creator, transactionHash: createTx, networkId, vault }
}

function onchainMetaData(explorerUrl: string, transactionHash: string): string {
  return JSON.stringify({ explorerUrl: explorerLink(explorerUrl, 'tx', transactionHash), transactionHash })
}

/** "open", or the reason why it cannot be used. */
export function stateOf(voucher: Voucher, at: Date): Static<typeof wireState> {
  const { state, replacedBy, isFrozen } = voucher
  if (replacedBy !== null) return 'replaced'
  if (state === 'closed') return 'cancelled'
  if (state === 'no_debit') return 'blocked'
  if (isFrozen) return 'frozen'
  return isExpired(voucher, at) ? 'expired' : 'open'
}

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
