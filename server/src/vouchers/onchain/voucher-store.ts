import type { Db, Tx } from '../../base/db.ts'
import { orNull } from '../../base/column-type.ts'
import { execute, list, type RowOf, select, selectOne, selectValue, sql } from '../../base/sql.ts'
import { withdrawSend } from '../../chain/send-store.ts'
import { onchainVouchers } from '../voucher/onchain-store.ts'

const unsentColumns = list(onchainVouchers.columns('', 'voucherId', 'claimKey', 'value'))
export type Unsent = RowOf<typeof unsentColumns>

const groupColumns = list(onchainVouchers.columns('o', 'networkId', 'vault', 'token', 'isLocked', 'expiresAt'))
type Group = RowOf<typeof groupColumns>

/** The terms of the oldest voucher that waits for its creation. Those with the same terms are created together. */
export async function findUnsentGroup(db: Db, networks: readonly string[], at: Date): Promise<Group | undefined> {
  return selectOne(db)`
    select ${groupColumns}
      from onchain_vouchers o join networks n on n.id = o.network_id
      where o.create_send_id is null and o.state = 'creating' and o.expires_at > ${at} and n.is_active and n.abbreviation = any(${networks})
      order by o.voucher_id limit 1`
}

export async function lockUnsent(tx: Tx, group: Group, limit: number): Promise<Unsent[]> {
  const { networkId, vault, isLocked, expiresAt } = group
  return select(tx)`
    select ${unsentColumns} from onchain_vouchers
      where network_id = ${networkId} and vault = ${vault} and is_locked = ${isLocked} and expires_at = ${expiresAt}
        and create_send_id is null and state = 'creating'
      order by voucher_id limit ${limit} for no key update skip locked`
}

export async function markCreating(
  tx: Tx,
  voucherId: string,
  { creator, codeHash, sendId }: { readonly creator: string; readonly codeHash: string; readonly sendId: string },
): Promise<void> {
  await execute(tx)`
    update onchain_vouchers set creator = ${creator}, code_hash = ${codeHash}, create_send_id = ${sendId}
      where voucher_id = ${voucherId}`
}

/** Lets vouchers whose creation or closing was not carried out wait for another one. */
export async function releaseSend(tx: Tx, sendId: string): Promise<void> {
  await execute(tx)`
    update onchain_vouchers set creator = null, code_hash = null, create_send_id = null
      where create_send_id = ${sendId} and state = 'creating'`
  await execute(tx)`update onchain_vouchers set close_send_id = null where close_send_id = ${sendId} and state = 'open'`
}

/** The voucher with this hash in a vault. */
export async function findVoucherId(
  db: Db,
  networkId: string,
  vault: string,
  codeHash: string,
): Promise<string | undefined> {
  return selectValue(db)`
    select ${sql.uuid`voucher_id`} from onchain_vouchers
      where network_id = ${networkId} and vault = ${vault} and code_hash = ${codeHash}`
}

type Final = {
  readonly state: 'creating' | 'open' | 'closed'
  readonly balance: bigint
  readonly nonce: number
  readonly createTx?: string
}

/** Records the voucher as it is in a final block. */
export async function saveFinal(tx: Tx, voucherId: string, { state, balance, nonce, createTx }: Final): Promise<void> {
  await execute(tx)`
    update onchain_vouchers set state = ${state}, balance = ${balance}, nonce = ${nonce},
      create_tx = coalesce(${createTx}, create_tx) where voucher_id = ${voucherId}`
}

/** Its value is in the ledger alone from now on, or on its network again. */
export async function setOnchain(tx: Tx, environmentId: string, voucherId: string, isOnchain: boolean): Promise<void> {
  await execute(tx)`
    update vouchers set is_onchain = ${isOnchain} where environment_id = ${environmentId} and id = ${voucherId}`
}

/** The send that creates a voucher. */
export async function findCreateSend(db: Db, voucherId: string): Promise<string | undefined> {
  const found = await selectValue(db)`
    select ${orNull(sql.uuid)`create_send_id`} from onchain_vouchers where voucher_id = ${voucherId}`
  return found ?? undefined
}

/** Ends the closing of a voucher that has nothing in its vault any more, if nobody signed it. The vault would refuse it for ever. */
export async function withdrawClosing(tx: Tx, voucherId: string, at: Date): Promise<void> {
  const sendId = await selectValue(tx)`
    select ${orNull(sql.uuid)`close_send_id`} from onchain_vouchers where voucher_id = ${voucherId}`
  if (typeof sendId === 'string') await withdrawSend(tx, sendId, at)
}

/** Lets a voucher whose closing was undone be closed again. */
export async function releaseClosing(tx: Tx, voucherId: string): Promise<void> {
  await execute(tx)`update onchain_vouchers set close_send_id = null where voucher_id = ${voucherId}`
}

/** Vouchers to close: expired in a final block, or asked for. */
export async function listToClose(db: Db, resting: readonly string[], limit: number): Promise<{ id: string }[]> {
  return select(db)`
    select ${list({ id: sql.uuid`o.voucher_id` })} from onchain_vouchers o join chain_finality f on f.network_id = o.network_id
      where o.state <> 'closed' and (o.expires_at < f.mined_at or (o.closing is not null and o.state = 'open'))
        and (o.state = 'creating' or o.close_send_id is null or o.balance = 0)
        and o.voucher_id <> all(${resting}::uuid[])
      order by o.expires_at limit ${limit}`
}

export async function markClosing(tx: Tx, voucherId: string, sendId: string): Promise<void> {
  await execute(tx)`
    update onchain_vouchers set close_send_id = ${sendId}, closing = coalesce(closing, 'expiry')
      where voucher_id = ${voucherId}`
}

/** How many vouchers in a token have a balance in other vaults than this one. The reconciliation knows one vault per currency. */
export async function countInOtherVaults(db: Db, networkId: string, token: string, vault: string): Promise<number> {
  const count = await selectValue(db)`
    select ${sql.integer`count(*)::integer`} from onchain_vouchers
      where network_id = ${networkId} and token = ${token} and vault <> ${vault}
        and (state = 'creating' or (state = 'open' and balance > 0))`
  return count ?? 0
}
