import { type CatalogueCurrency, findCurrency } from '../../catalogue/currency/store.ts'
import { findEnvironments, findShops, type Shop } from '../../identity/merchant/store.ts'
import type { ReadCode } from '../code/code.ts'
import { knownVoucher } from '../redeem/facts.ts'
import { checkLock } from '../redeem/pin.ts'
import { type HistoryEntry, readHistory } from '../voucher/history-store.ts'
import { findOnchain, listSentPayments, type OnchainVoucher, type SentPayment } from '../voucher/onchain-store.ts'
import { findVouchers, type Voucher } from '../voucher/store.ts'
import type { RedeemTools } from '../redeem/redeem.ts'
import { listPayoutOptions } from './refund-payout.ts'
import type { WirePayoutOption } from './wire.ts'

export type HolderTools = Pick<RedeemTools, 'pool' | 'clock' | 'keyRing' | 'checkPin'>

export type HolderInput = {
  readonly code: ReadCode
  /** The merchant whose own system issued the code, if it is not one of ours. */
  readonly merchantCode?: string | undefined
  readonly lockPin?: string | undefined
}

export type HeldVoucher = {
  readonly voucher: Voucher
  readonly currency: CatalogueCurrency
  readonly issuer: Shop
  /** The names of merchants where it can be used. Empty: everywhere. */
  readonly places: readonly string[]
  readonly history: readonly HistoryEntry[]
  /** Set if a vault on a network holds its value, or held it. */
  readonly onchain: OnchainVoucher | undefined
  /** The redemptions of the history that pay on a network. */
  readonly sent: readonly SentPayment[]
  /** Where an offchain voucher can be paid to an address. */
  readonly payoutOptions: readonly WirePayoutOption[]
}

const shownMax = 100
// Holders have nothing but the code. Details about an unusable voucher are only for its issuer.
const holder = { hasSecret: false }

/** Finds a voucher by its code, and its PIN if it has one. */
export async function findVoucherByCode(tools: HolderTools, input: HolderInput): Promise<Voucher> {
  const voucher = knownVoucher({ voucher: await findByCode(tools, input), code: input.code }, holder)
  await checkLock(tools.checkPin, holder, voucher, input)
  return voucher
}

/** The voucher with this code, unchecked. */
export async function findByCode(tools: HolderTools, input: HolderInput): Promise<Voucher | undefined> {
  const hashes = await hashesFor(tools, input)
  const found = await findVouchers(tools.pool, hashes, tools.clock())
  return hashes.flatMap((each) => each.map((hash) => found.get(hash))).find((one) => one !== undefined)
}

/** Reads what its page shows. */
export async function readHeldVoucher({ pool }: HolderTools, voucher: Voucher): Promise<HeldVoucher> {
  const [currency, shops, history, onchain, sent, payoutOptions] = await Promise.all([
    findCurrency(pool, voucher.currency, 'any'),
    findShops(pool, [voucher.environmentId, ...voucher.onlyAt]),
    readHistory(pool, voucher.id, shownMax),
    findOnchain(pool, [voucher.id]),
    listSentPayments(pool, voucher.id),
    listPayoutOptions(pool, voucher),
  ])
  const issuer = shops.get(voucher.environmentId)
  if (issuer === undefined) throw new Error('A voucher has no issuer.')
  const places = voucher.onlyAt.map((environmentId) => shops.get(environmentId)?.name ?? '')
  return { voucher, currency, issuer, places, history, onchain: onchain.get(voucher.id), sent, payoutOptions }
}

/** Hashes in both modes, live first: a card of another system may exist in test mode too. */
async function hashesFor({ pool, keyRing }: HolderTools, { code, merchantCode }: HolderInput): Promise<string[][]> {
  if (merchantCode === undefined) return [keyRing.hashesOf(code, '')]
  const modes = await Promise.all(
    (['live', 'test'] as const).map((mode) => findEnvironments(pool, [merchantCode], mode)),
  )
  return modes.map((environments) => keyRing.hashesOf(code, environments.get(merchantCode) ?? ''))
}
