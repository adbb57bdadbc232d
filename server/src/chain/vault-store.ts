import type { Db, Tx } from '../base/db.ts'
import { execute, select } from '../base/sql.ts'
import type { Block } from './block.ts'
import type { VaultLog } from './vault-log.ts'

/**
 * The vaults of a network, including those that hold vouchers from before the catalogue changed. This runs for every block, so it steps
 * from one vault to the next in the index and does not read the vouchers.
 */
export async function listVaults(db: Db, networkId: string): Promise<string[]> {
  const rows = await select<{ vault: string }>(db)`
    with recursive used as (
      select min(vault) as vault from onchain_vouchers where network_id = ${networkId}
      union all
      select (select min(o.vault) from onchain_vouchers o where o.network_id = ${networkId} and o.vault > u.vault)
        from used u where u.vault is not null
    )
    select lower(vault) as vault from network_tokens where network_id = ${networkId} and vault <> ''
      union select vault from used where vault is not null`
  return rows.map(({ vault }) => vault)
}

/** The logs about vouchers of ours. Anybody may create vouchers in a vault. */
export async function keepOurs(db: Db, networkId: string, logs: readonly VaultLog[]): Promise<VaultLog[]> {
  if (logs.length === 0) return []
  const rows = await select<{ codeHash: string }>(db)`
    select code_hash as "codeHash" from onchain_vouchers
      where network_id = ${networkId} and vault = any(${logs.map(({ vault }) => vault)})
        and code_hash = any(${logs.map(({ codeHash }) => codeHash)})`
  const ours = new Set(rows.map(({ codeHash }) => codeHash))
  return logs.filter(({ codeHash }) => ours.has(codeHash))
}

/** Stores what vaults logged. A log that a reorganisation moved to another block is updated. */
export async function saveVaultLogs(
  tx: Tx,
  networkId: string,
  { number, minedAt }: Pick<Block, 'number' | 'minedAt'>,
  logs: readonly (VaultLog & { readonly id: string })[],
  at: Date,
): Promise<void> {
  for (const log of logs) {
    const { id, vault, txHash, logIndex, kind, codeHash, amount, fee, recipient, feeRecipient, refHash, nonce } = log
    await execute(tx)`
      insert into vault_events (id, network_id, vault, tx_hash, log_index, kind, code_hash, amount, fee, recipient, fee_recipient,
          reference, nonce, block_number, mined_at, seen_at)
        values (${id}, ${networkId}, ${vault}, ${txHash}, ${logIndex}, ${kind}, ${codeHash}, ${amount}, ${fee}, ${recipient},
          ${feeRecipient}, ${refHash}, ${nonce}, ${number}, ${minedAt}, ${at})
        on conflict (network_id, tx_hash, vault, code_hash, kind, nonce, amount, fee, recipient, fee_recipient, reference) do update
          set block_number = excluded.block_number, log_index = excluded.log_index, mined_at = excluded.mined_at, gone_at = null`
  }
}

export async function rollBackVaultLogs(tx: Tx, networkId: string, above: bigint, at: Date): Promise<void> {
  await execute(tx)`
    update vault_events set gone_at = ${at}
      where network_id = ${networkId} and block_number > ${above} and gone_at is null`
}
