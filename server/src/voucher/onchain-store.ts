import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, select } from '../base/sql.ts'
import { defineDocument } from '../ledger/document.ts'

export const onchainDocument = defineDocument('onchain_vouchers', {
  voucherId: 'uuid',
  /** The issuer's. */
  environmentId: 'uuid',
  networkId: 'uuid',
  vault: 'text',
  token: 'text',
  decimals: 'smallint',
  claimKey: 'text',
  value: 'numeric',
  isLocked: 'boolean',
  expiresAt: 'timestamptz',
})

/** "creating" until the vault has it in a final block, "closed" once the vault returned what was left. */
type OnchainState = 'creating' | 'open' | 'closed'

export type OnchainVoucher = {
  readonly voucherId: string
  readonly environmentId: string
  readonly networkId: string
  readonly vault: string
  readonly token: string
  readonly decimals: number
  readonly claimKey: string
  readonly value: bigint
  readonly isLocked: boolean
  readonly expiresAt: Date
  readonly creator: string | null
  /** Its name on the network, from when its creation is queued. */
  readonly codeHash: string | null
  readonly state: OnchainState
  /** The balance and the number of redemptions as last seen final. */
  readonly balance: bigint
  readonly nonce: number
  readonly createTx: string | null
  /** Why it is being closed. */
  readonly closing: Closing | null
  /** Of its network. */
  readonly networkName: string
  readonly explorerUrl: string
}

/** What a holder needs besides the code to redeem a voucher without us. */
export type VaultPlace = { readonly network: string; readonly vault: string }

export type Closing = 'expiry' | 'block' | 'cancel' | 'replacement'

const columns = `o.voucher_id as "voucherId", o.environment_id as "environmentId", o.network_id as "networkId", o.vault, o.token,
  o.decimals, o.claim_key as "claimKey", o.value, o.is_locked as "isLocked", o.expires_at as "expiresAt", o.creator,
  o.code_hash as "codeHash", o.state, o.balance, o.nonce, o.create_tx as "createTx", o.closing, n.explorer_url as "explorerUrl",
  n.name as "networkName"`

export async function findOnchain(db: Db, voucherIds: readonly string[]): Promise<Map<string, OnchainVoucher>> {
  if (voucherIds.length === 0) return new Map()
  const { rows } = await db.query<OnchainVoucher>(
    `select ${columns} from onchain_vouchers o join networks n on n.id = o.network_id where o.voucher_id = any($1)`,
    [voucherIds],
  )
  return new Map(rows.map((row) => [row.voucherId, row]))
}

/** Locks an onchain voucher until the transaction ends. */
export async function lockOnchain(tx: Tx, voucherId: string): Promise<OnchainVoucher | undefined> {
  const { rows } = await tx.query<OnchainVoucher>(
    `select ${columns} from onchain_vouchers o join networks n on n.id = o.network_id where o.voucher_id = $1
      for no key update of o`,
    [voucherId],
  )
  return rows[0]
}

/** A send that is queued in the commit of a journal. */
export const sendDocument = defineDocument('chain_sends', {
  id: 'uuid',
  networkId: 'uuid',
  lane: 'text',
  reference: 'text',
  toAddress: 'text',
  data: 'text',
  value: 'numeric',
  askedAt: 'timestamptz',
  gasMax: 'numeric',
})

export const addressRedemptionDocument = defineDocument('address_redemptions', {
  environmentId: 'uuid',
  /** That of its transaction. */
  id: 'uuid',
  voucherId: 'uuid',
  networkId: 'uuid',
  recipient: 'text',
  token: 'text',
  /** In the smallest unit on the network. */
  units: 'numeric',
  gas: 'numeric',
  gasWei: 'numeric',
  sendId: 'uuid?',
  vault: 'text?',
  nonce: 'integer?',
  deadline: 'timestamptz?',
  refHash: 'text?',
  fee: 'numeric?',
  feeRecipient: 'text?',
  endedAt: 'timestamptz?',
  txHash: 'text?',
})

/** A redemption that pays on a network, as pages show it. */
export type SentPayment = {
  /** That of its transaction. */
  readonly id: string
  readonly recipient: string
  /** True if it pays our own treasury, so that a merchant is credited. */
  readonly isTreasury: boolean
  readonly status: 'PROCESSING' | 'COMPLETED' | 'FAILED'
  /** The transaction that was mined, or the newest that was signed for it. */
  readonly txHash: string | null
  readonly networkName: string
  readonly explorerUrl: string
}

// A network confirms one redemption of a voucher at a time, so no voucher has this many.
const sentMax = 1_000

/** The redemptions of a voucher that pay on a network, at all merchants, newest first. */
export async function listSentPayments(db: Db, voucherId: string): Promise<SentPayment[]> {
  // redemptions_of_voucher leaves out those whose value came back.
  return select<SentPayment>(db)`
    select a.id, a.recipient, coalesce(a.recipient = n.treasury, false) as "isTreasury", n.name as "networkName",
        n.explorer_url as "explorerUrl",
        case when a.ended_at is null then 'PROCESSING' when r.id is null then 'FAILED' else 'COMPLETED' end as status,
        coalesce(a.tx_hash, (select g.hash from chain_signed g where g.send_id = a.send_id
          order by g.max_fee desc limit 1)) as "txHash"
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
