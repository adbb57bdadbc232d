import type { Static } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import { type LogoUrl, toWireCurrency, wireMoney } from '../../catalogue/currency/to-wire.ts'
import type { Wire } from '../../http/schema.ts'
import { showCode } from '../code/code.ts'
import { isExpired } from './expiry.ts'
import type { Issue } from './issue.ts'
import { explorerLink } from './onchain-page.ts'
import type { OnchainVoucher } from './onchain-store.ts'
import { isBound, rulesOf, type VoucherRules } from './rules.ts'
import type { Voucher } from './store.ts'
import type { shownRules, wireOnchain, wireState, wireVoucher } from './wire.ts'

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
    balance: wireMoney(voucher.available, currency),
    heldAmount: wireMoney(voucher.balance - voucher.available, currency),
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
    voucherType: voucher.isStore ? 'store' : 'platform',
    rules: toWireRules(rulesOf(voucher), currency, 'anybody'),
  }
}

/** The same for its issuer, who sees to whom it is bound. */
export function toIssuersVoucher(...parts: Parameters<typeof toWireVoucher>): WireVoucher {
  const [voucher, , currency] = parts
  return { ...toWireVoucher(...parts), rules: toWireRules(rulesOf(voucher), currency, 'issuer') }
}

export function toWireRules(
  rules: VoucherRules | null,
  currency: CatalogueCurrency,
  viewer: 'issuer' | 'anybody',
): Wire<Static<typeof shownRules>> {
  if (rules === null) return null
  const { minimumPurchase = '0', validFrom = '', weekdays = [], onePerOrder = false, customerId, user } = rules
  const shown = viewer === 'issuer'
  return {
    minimumPurchase: wireMoney(BigInt(minimumPurchase), currency),
    validFrom,
    weekdays: [...weekdays],
    onePerOrder,
    isBound: isBound(rules),
    customerId: (shown ? customerId : undefined) ?? '',
    userIdentifier: (shown ? user?.identifier : undefined) ?? '',
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
  const { state, replacedBy, isFrozen, isActive } = voucher
  if (replacedBy !== null) return 'replaced'
  if (state === 'closed') return 'cancelled'
  if (state === 'no_debit') return 'blocked'
  if (isFrozen) return 'frozen'
  if (!isActive) return 'inactive'
  return isExpired(voucher, at) ? 'expired' : 'open'
}
