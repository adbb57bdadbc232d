import { oneOf, orNull, withDefault } from '../../base/column-type.ts'
import type { Db, Tx } from '../../base/db.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, sql } from '../../base/sql.ts'
import { chainSends } from '../../chain/send-store.ts'
import { defineTable } from '../../base/table.ts'
import { networks } from '../../catalogue/currency/store.ts'
import { documentOf } from '../../ledger/document.ts'
import { sentStatuses } from './wire.ts'

/** "creating" until the vault has it in a final block, "closed" once the vault returned what was left. */
const onchainStates = ['creating', 'open', 'closed'] as const

const closings = ['expiry', 'block', 'cancel', 'replacement'] as const
export type Closing = (typeof closings)[number]

export const onchainVouchers = defineTable('onchain_vouchers', {
  voucherId: sql.uuid,
  /** The issuer's. */
  environmentId: sql.uuid,
  networkId: sql.uuid,
  vault: sql.hex,
  token: sql.hex,
  decimals: sql.smallint,
  claimKey: sql.hex,
  value: sql.numeric,
  isLocked: sql.boolean,
  expiresAt: sql.timestamptz,
  creator: withDefault(orNull(sql.hex)),
  /** Its name on the network, from when its creation is queued. */
  codeHash: withDefault(orNull(sql.hex)),
  createSendId: withDefault(orNull(sql.uuid)),
  state: withDefault(oneOf(onchainStates)),
  /** The balance and the number of redemptions as last seen final. */
  balance: withDefault(sql.numeric),
  nonce: withDefault(sql.integer),
  createTx: withDefault(orNull(sql.text)),
  /** Why it is being closed. */
  closing: withDefault(orNull(oneOf(closings))),
  closeSendId: withDefault(orNull(sql.uuid)),
})

export const onchainDocument = documentOf(onchainVouchers)

const onchainColumns = list({
  ...onchainVouchers.columns('o', 'voucherId', 'environmentId', 'networkId', 'vault', 'token', 'decimals', 'claimKey'),
  ...onchainVouchers.columns('o', 'value', 'isLocked', 'expiresAt', 'creator', 'codeHash', 'state', 'balance', 'nonce'),
  ...onchainVouchers.columns('o', 'createTx', 'closing'),
  ...networks.columns('n', 'explorerUrl'),
  networkName: sql.text`n.name`,
})
export type OnchainVoucher = RowOf<typeof onchainColumns>

const selectOnchain = sql`
  select ${onchainColumns} from onchain_vouchers o join networks n on n.id = o.network_id`

/** What a holder needs besides the code to redeem a voucher without us. */
export type VaultPlace = { readonly network: string; readonly vault: string }

export async function findOnchain(db: Db, voucherIds: readonly string[]): Promise<Map<string, OnchainVoucher>> {
  if (voucherIds.length === 0) return new Map()
  const rows = await select(db)`${selectOnchain} where o.voucher_id = any(${voucherIds})`
  return new Map(rows.map((row) => [row.voucherId, row]))
}

/** Locks an onchain voucher until the transaction ends. */
export async function lockOnchain(tx: Tx, voucherId: string): Promise<OnchainVoucher | undefined> {
  return selectOne(tx)`${selectOnchain} where o.voucher_id = ${voucherId} for no key update of o`
}

/** A send that is queued in the commit of a journal. */
export const sendDocument = documentOf(chainSends)

export const addressRedemptions = defineTable('address_redemptions', {
  /** The redeeming merchant's. */
  environmentId: sql.uuid,
  /** That of its transaction. */
  id: sql.uuid,
  voucherId: sql.uuid,
  networkId: sql.uuid,
  recipient: sql.text,
  token: sql.text,
  /** In the smallest unit on the network. */
  units: sql.numeric,
  gas: sql.numeric,
  gasWei: sql.numeric,
  sendId: orNull(sql.uuid),
  /** Set for an onchain voucher, like what its signature covers. */
  vault: orNull(sql.text),
  nonce: orNull(sql.integer),
  deadline: orNull(sql.timestamptz),
  refHash: orNull(sql.text),
  fee: orNull(sql.numeric),
  feeRecipient: orNull(sql.text),
  endedAt: orNull(sql.timestamptz),
  txHash: orNull(sql.text),
})

export const addressRedemptionDocument = documentOf(addressRedemptions)

const sentColumns = list({
  ...addressRedemptions.columns('a', 'id', 'recipient'),
  ...networks.columns('n', 'explorerUrl'),
  networkName: sql.text`n.name`,
  /** True if it pays our own treasury, so that a merchant is credited. */
  isTreasury: sql.boolean`coalesce(a.recipient = n.treasury, false)`,
  status: oneOf(sentStatuses)`
    case when a.ended_at is null then 'PROCESSING' when r.id is null then 'FAILED' else 'COMPLETED' end`,
  /** The transaction that was mined, or the newest that was signed for it. */
  txHash: orNull(sql.text)`
    coalesce(a.tx_hash, (select g.hash from chain_signed g where g.send_id = a.send_id
      order by g.max_fee desc limit 1))`,
})
/** A redemption that pays on a network, as pages show it. */
export type SentPayment = RowOf<typeof sentColumns>

// A network confirms one redemption of a voucher at a time, so no voucher has this many.
const sentMax = 1_000

/** The redemptions of a voucher that pay on a network, at all merchants, newest first. */
export async function listSentPayments(db: Db, voucherId: string): Promise<SentPayment[]> {
  // redemptions_of_voucher leaves out those whose value came back.
  return select(db)`
    select ${sentColumns}
      from address_redemptions a join networks n on n.id = a.network_id
      left join redemptions_of_voucher(${voucherId}, ${sentMax}) r on r.id = a.id
      where a.voucher_id = ${voucherId} order by a.id desc limit ${sentMax}`
}

export async function isDenied(db: Db, address: string): Promise<boolean> {
  return executeOne(db)`select from denied_addresses where address = ${address}`
}

/** Has the voucher closed on its network. The first reason stays. */
export async function requestClosing(tx: Tx, voucherId: string, closing: Closing): Promise<void> {
  await execute(tx)`
    update onchain_vouchers set closing = coalesce(closing, ${closing}) where voucher_id = ${voucherId} and state <> 'closed'`
}

/** Whether a part of the voucher is on its way to an address. */
export async function isBeingSent(tx: Tx, voucherId: string): Promise<boolean> {
  return executeOne(tx)`select from address_redemptions where voucher_id = ${voucherId} and ended_at is null limit 1`
}
