import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, select, selectOne, selectValue } from '../base/sql.ts'
import type { Block, Header, Movement, Outgoing } from './block.ts'

/** A network that accepts deposits. */
export type Chain = {
  readonly id: string
  readonly abbreviation: string
  readonly chainId: bigint
  readonly mode: 'live' | 'test'
  readonly factory: string
  readonly treasury: string
  readonly sweeperHash: string
  /** Blocks on top of a block until it is final. Null: the nodes report what is final. */
  readonly finalDepth: number | null
  /** True if the operator accepts that a single node could invent payments. */
  readonly trustsOneNode: boolean
}

export async function listChains(db: Db): Promise<Chain[]> {
  return select<Chain>(db)`
    select id, abbreviation, chain_id as "chainId", mode, factory, treasury, sweeper_hash as "sweeperHash",
      final_depth as "finalDepth", trusts_one_node as "trustsOneNode" from networks where is_active and factory is not null order by abbreviation`
}

/** Finds a network by abbreviation or id. */
export async function findChain(db: Db, name: string): Promise<Chain | undefined> {
  return (await listChains(db)).find(({ abbreviation, id }) => abbreviation === name || id === name)
}

type Deployment = Pick<Chain, 'abbreviation' | 'factory' | 'treasury' | 'sweeperHash'> & {
  readonly finalDepth?: number
  readonly trustsOneNode?: boolean
}

/**
 * Returns false for an unknown network, or one with addresses of another factory or treasury, whose deposits would be
 * lost.
 */
export async function activateDeposits(db: Db, deployment: Deployment): Promise<boolean> {
  const { abbreviation, factory, treasury, sweeperHash, finalDepth, trustsOneNode = false } = deployment
  return executeOne(db)`
    update networks set factory = ${factory.toLowerCase()}, treasury = ${treasury.toLowerCase()},
        sweeper_hash = ${sweeperHash}, final_depth = coalesce(${finalDepth}, final_depth), trusts_one_node = ${trustsOneNode}
      where abbreviation = ${abbreviation} and coalesce(sweeper_hash, ${sweeperHash}) = ${sweeperHash}
        and coalesce(factory, ${factory.toLowerCase()}) = ${factory.toLowerCase()}`
}

/** The newest block read so far. */
export async function findTip(db: Db, networkId: string): Promise<Header | undefined> {
  return selectOne<Header>(db)`
    select number, hash, parent, mined_at as "minedAt" from chain_blocks
      where network_id = ${networkId} order by number desc limit 1`
}

export async function findHeader(db: Db, networkId: string, number: bigint): Promise<Header | undefined> {
  return selectOne<Header>(db)`
    select number, hash, parent, mined_at as "minedAt" from chain_blocks
      where network_id = ${networkId} and number = ${number}`
}

/** Stores the first block to read from. No address exists before it. */
export async function beginAt(db: Db, networkId: string, { number, hash, parent, minedAt }: Header): Promise<void> {
  await execute(db)`
    insert into chain_blocks (network_id, number, hash, parent, mined_at)
      select ${networkId}, ${number}, ${hash}, ${parent}, ${minedAt}
      where not exists (select from chain_blocks where network_id = ${networkId}) on conflict do nothing`
}

/** Recorded payments become money, so only a separate database role may insert them. */
export async function checkChainRole(db: Db): Promise<void> {
  const may = await selectValue<boolean>(db)`select has_table_privilege('chain_payments', 'insert') as may`
  if (may !== true)
    throw new Error('CHAIN_DATABASE_URL must connect as scrip_chain: it records the payments that networks report.')
}

/** Serialises adding and rolling back blocks, even if two processes read the network for a moment. */
export async function lockChain(tx: Tx, networkId: string): Promise<void> {
  await execute(tx)`select from networks where id = ${networkId} for no key update`
}

/** Adds a block if its parent is the previous one. Returns false if another process added it first. */
export async function addBlock(tx: Tx, networkId: string, block: Header): Promise<boolean> {
  const { number, hash, parent, minedAt } = block
  const added = await execute(tx)`
    insert into chain_blocks (network_id, number, hash, parent, mined_at)
      select ${networkId}, ${number}, ${hash}, ${parent}, ${minedAt} from chain_blocks
      where network_id = ${networkId} and number = ${number - 1n} and hash = ${parent} on conflict do nothing`
  return added === 1
}

type Ours = { readonly address: string; readonly ownerId: string }

/** The deposit addresses among these. An address is stored before it is given out, so no payment can precede it. */
export async function findOurs(db: Db, networkId: string, addresses: readonly string[]): Promise<Ours[]> {
  return select<Ours>(db)`
    select address, owner_id as "ownerId" from chain_addresses
      where network_id = ${networkId} and address = any(${addresses})`
}

export type SeenMovement = Movement & { readonly id: string; readonly ownerId: string }

/** Stores payments. One that a reorganisation moved to another block is updated. */
export async function savePayments(
  tx: Tx,
  networkId: string,
  { number, minedAt }: Pick<Block, 'number' | 'minedAt'>,
  movements: readonly SeenMovement[],
  at: Date,
): Promise<void> {
  for (const { id, txHash, logIndex, ownerId, to, token, amount } of movements)
    await execute(tx)`
      insert into chain_payments (id, network_id, tx_hash, log_index, owner_id, address, token, amount, block_number, mined_at, seen_at)
        values (${id}, ${networkId}, ${txHash}, ${logIndex}, ${ownerId}, ${to}, ${token}, ${amount}, ${number}, ${minedAt}, ${at})
        on conflict (network_id, tx_hash, log_index, address, token, amount) do update
          set block_number = excluded.block_number, mined_at = excluded.mined_at, gone_at = null`
}

export async function saveSweeps(
  tx: Tx,
  networkId: string,
  number: bigint,
  sweeps: readonly (Outgoing & { readonly ownerId: string })[],
): Promise<void> {
  for (const { txHash, logIndex, ownerId, token, amount } of sweeps)
    await execute(tx)`
      insert into chain_sweeps (network_id, tx_hash, log_index, owner_id, token, amount, block_number)
        values (${networkId}, ${txHash}, ${logIndex}, ${ownerId}, ${token}, ${amount}, ${number})`
}

/**
 * Removes the blocks above, with their payments and sweeps. A payment that comes back is compared with the market
 * again.
 */
export async function rollBack(tx: Tx, networkId: string, above: bigint, at: Date): Promise<void> {
  await execute(tx)`delete from chain_blocks where network_id = ${networkId} and number > ${above}`
  await execute(tx)`
    update chain_payments set gone_at = ${at}, priced_at = null
      where network_id = ${networkId} and block_number > ${above} and gone_at is null`
  await execute(tx)`delete from chain_sweeps where network_id = ${networkId} and block_number > ${above}`
  // Its time goes back as well: what is overdue at that time was never carried out.
  await execute(tx)`
    update chain_finality f set number = b.number, mined_at = b.mined_at from chain_blocks b
      where f.network_id = ${networkId} and f.number > ${above} and b.network_id = f.network_id and b.number = ${above}`
}

export type Finality = { readonly number: bigint; readonly minedAt: Date; readonly gasPrice: bigint }

export async function findFinality(db: Db, networkId: string): Promise<Finality | undefined> {
  return selectOne<Finality>(db)`
    select number, mined_at as "minedAt", gas_price as "gasPrice" from chain_finality where network_id = ${networkId}`
}

/** Records the newest final block, if it is one of ours. */
export async function saveFinality(
  db: Db,
  networkId: string,
  { number, hash, minedAt }: Header,
  gasPrice: bigint,
  at: Date,
): Promise<void> {
  await execute(db)`
    insert into chain_finality as f (network_id, number, mined_at, said_at, gas_price)
      select ${networkId}, ${number}, ${minedAt}, ${at}, ${gasPrice} from chain_blocks
      where network_id = ${networkId} and number = ${number} and hash = ${hash}
      on conflict (network_id) do update set number = excluded.number, mined_at = excluded.mined_at,
        said_at = excluded.said_at, gas_price = excluded.gas_price where f.number <= excluded.number`
}

/** Deletes old blocks. Some stay below the final one, in case the network undoes even that. */
export async function forgetBlocks(db: Db, networkId: string, below: bigint): Promise<void> {
  await execute(db)`delete from chain_blocks where network_id = ${networkId} and number < ${below}`
}
