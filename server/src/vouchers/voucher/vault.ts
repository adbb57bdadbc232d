import { privateKeyToAddress } from 'viem/accounts'
import type { Db } from '../../base/db.ts'
import { claimKeyOf } from '../code/claim.ts'
import { type Chain, findFinality, listChains } from '../../chain/store.ts'
import { unitOf } from '../../catalogue/charge/gas.ts'
import { coin } from '../../chain/block.ts'
import { type CatalogueCurrency, listNetworks } from '../../catalogue/currency/store.ts'
import type { Document } from '../../ledger/document.ts'
import { voucherError } from '../code/errors.ts'
import { onchainDocument } from './onchain-store.ts'

/** A contract that holds the value of vouchers in one currency on one network. */
export type Vault = {
  readonly chainId: bigint
  readonly networkId: string
  readonly networkName: string
  readonly address: string
  readonly token: string
  readonly decimals: number
  /** Minor units of the ledger per smallest unit on the network. */
  readonly unit: bigint
}

/** The vault for vouchers in this currency, on the given network or the first that has one. */
export async function findVault(
  db: Db,
  mode: Chain['mode'],
  currency: CatalogueCurrency,
  network: string | undefined,
  param: string,
): Promise<Vault> {
  const chains = (await listChains(db)).filter((chain) => chain.mode === mode)
  const named = chains.filter(
    ({ id, abbreviation }) => network === undefined || network === id || network === abbreviation,
  )
  const networks = await listNetworks(db)
  for (const { id, chainId } of named) {
    const { tokens = [], name = '' } = networks.find((each) => each.id === id) ?? {}
    const token = tokens.find((each) => each.currency.code === currency.code && each.vault !== '')
    if (token === undefined) continue
    const { decimals, vault } = token
    const unit = unitOf(currency, decimals)
    const address = vault.toLowerCase()
    return { chainId, networkId: id, networkName: name, address, token: token.address.toLowerCase(), decimals, unit }
  }
  throw voucherError('VOUCHER_ONCHAIN_UNAVAILABLE', { param })
}

// Measured: one voucher of coin takes 78,000 units of gas to create and 97,000 to redeem.
const lifeGas = 180_000n

/** The network must be able to express the amount, and a voucher of coin must be worth more than the gas of its life. */
export async function refuseForVault(db: Db, { networkId, token, unit }: Vault, amount: bigint): Promise<void> {
  const gasPrice = (await findFinality(db, networkId))?.gasPrice ?? 0n
  const isTooSmall = token === coin && amount / unit < gasPrice * lifeGas
  if (amount % unit !== 0n || isTooSmall) throw voucherError('ONCHAIN_AMOUNT_INVALID', { param: 'amount' })
}

const dayMs = 24 * 60 * 60 * 1_000
/** The vault refuses more than ten years. */
const lifeDaysMax = 3_650

/**
 * On a network every voucher expires: at the end of a day, if its issuer chose nothing, so that vouchers of a day have the same terms.
 * One of a hundred that are created together costs 50,000 units of gas, one alone 78,000.
 */
export function vaultExpiry(expiresAt: Date | undefined, at: Date): Date {
  const latest = new Date(Math.ceil(at.getTime() / dayMs) * dayMs + lifeDaysMax * dayMs)
  if (expiresAt === undefined) return latest
  if (expiresAt > latest) throw voucherError('EXPIRY_INVALID', { param: 'expiresAt' })
  return expiresAt
}

type OnchainTerms = {
  readonly id: string
  readonly environmentId: string
  readonly code: string
  readonly amount: bigint
  readonly expiresAt: Date | null | undefined
  readonly lockPin: string | undefined
}

/** The record of a voucher that is to be created in a vault. The code stays here: the vault knows the address of a key derived from it. */
export async function vaultDocument(vault: Vault, terms: OnchainTerms): Promise<Document> {
  const { id, environmentId, code, amount, expiresAt, lockPin } = terms
  if (expiresAt == null) throw new Error('An onchain voucher expires.')
  const { networkId, address, token, decimals, unit } = vault
  const key = await claimKeyOf(code, { chainId: Number(vault.chainId), vault: address as `0x${string}` })
  return onchainDocument({
    voucherId: id,
    environmentId,
    networkId,
    vault: address,
    token,
    decimals,
    claimKey: privateKeyToAddress(key).toLowerCase(),
    value: amount / unit,
    isLocked: lockPin !== undefined,
    expiresAt,
  })
}
