import type { Db, Tx } from '../base/db.ts'
import { oneOf, orNull, withDefault } from '../base/column-type.ts'
import { execute, list, select, sql } from '../base/sql.ts'
import { defineTable, insertInto } from '../base/table.ts'
import type { Block } from './block.ts'
import { type VaultLog, vaultLogKinds } from './vault-log.ts'

/**
 * The vaults of a network, including those that hold vouchers from before the catalogue changed. This runs for every block, so it steps
 * from one vault to the next in the index and does not read the vouchers.
 */
export async function listVaults(db: Db, networkId: string): Promise<string[]> {
  const rows = await select(db)`
    with recursive used as (
      select min(vault) as vault from onchain_vouchers where network_id = ${networkId}
      union all
      select (select min(o.vault) from onchain_vouchers o where o.network_id = ${networkId} and o.vault > u.vault)
        from used u where u.vault is not null
    )
    select ${list({ vault: sql.text`lower(vault)` })} from network_tokens where network_id = ${networkId} and vault <> ''
      union select vault from used where vault is not null`
  return rows.map(({ vault }) => vault)
}

/** The logs about vouchers of ours. Anybody may create vouchers in a vault. */
export async function keepOurs(db: Db, networkId: string, logs: readonly VaultLog[]): Promise<VaultLog[]> {
  if (logs.length === 0) return []
  const rows = await select(db)`
    select ${list({ codeHash: sql.text`code_hash` })} from onchain_vouchers
      where network_id = ${networkId} and vault = any(${logs.map(({ vault }) => vault)})
        and code_hash = any(${logs.map(({ codeHash }) => codeHash)})`
  const ours = new Set(rows.map(({ codeHash }) => codeHash))
  return logs.filter(({ codeHash }) => ours.has(codeHash))
}

/** What vaults logged about vouchers of ours. */
export const vaultEvents = defineTable('vault_events', {
  id: sql.uuid,
  networkId: sql.uuid,
  vault: sql.text,
  txHash: sql.text,
  logIndex: sql.integer,
  kind: oneOf(vaultLogKinds),
  codeHash: sql.text,
  amount: sql.numeric,
  fee: sql.numeric,
  recipient: sql.text,
  feeRecipient: sql.text,
  reference: sql.text,
  nonce: sql.bigint,
  blockNumber: sql.bigint,
  minedAt: sql.timestamptz,
  seenAt: sql.timestamptz,
  /** Set if a reorganisation removed it. */
  goneAt: withDefault(orNull(sql.timestamptz)),
  bookedAt: withDefault(orNull(sql.timestamptz)),
  /** How often it was booked. */
  bookings: withDefault(sql.integer),
  /** The journals that booked it and that reversed it. */
})

/** Stores what vaults logged. A log that a reorganisation moved to another block is updated. */
export async function saveVaultLogs(
  tx: Tx,
  networkId: string,
  { number, minedAt }: Pick<Block, 'number' | 'minedAt'>,
  logs: readonly (VaultLog & { readonly id: string })[],
  at: Date,
): Promise<void> {
  for (const log of logs) {
    const { refHash: reference, nonce, ...rest } = log
    const where = { networkId, blockNumber: number, minedAt, seenAt: at }
    await execute(tx)`
      ${insertInto(vaultEvents, { ...rest, ...where, reference, nonce: BigInt(nonce) })}
        on conflict (network_id, tx_hash, vault, code_hash, kind, nonce, amount, fee, recipient, fee_recipient, reference) do update
          set block_number = excluded.block_number, log_index = excluded.log_index, mined_at = excluded.mined_at, gone_at = null`
  }
}

export async function rollBackVaultLogs(tx: Tx, networkId: string, above: bigint, at: Date): Promise<void> {
  await execute(tx)`
    update vault_events set gone_at = ${at}
      where network_id = ${networkId} and block_number > ${above} and gone_at is null`
}
