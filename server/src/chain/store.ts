import type { Db, Tx } from '../base/db.ts'
import { oneOf, orNull, withDefault } from '../base/column-type.ts'
import { modes } from '../base/mode.ts'
import { execute, executeOne, list, type RowOf, select, selectOne, selectValue, sql } from '../base/sql.ts'
import { defineTable, insertInto } from '../base/table.ts'
import type { Block, Header, Movement, Outgoing } from './block.ts'

const chainColumns = list({
  id: sql.uuid`id`,
  abbreviation: sql.text`abbreviation`,
  chainId: sql.bigint`chain_id`,
  mode: oneOf(modes)`mode`,
  factory: sql.text`factory`,
  treasury: sql.text`treasury`,
  sweeperHash: sql.text`sweeper_hash`,
  /** Blocks on top of a block until it is final. Null: the nodes report what is final. */
  finalDepth: orNull(sql.integer)`final_depth`,
  /** True if the operator accepts that a single node could invent payments. */
  trustsOneNode: sql.boolean`trusts_one_node`,
})
/** A network that accepts deposits. */
export type Chain = RowOf<typeof chainColumns>

export async function listChains(db: Db): Promise<Chain[]> {
  return select(db)`
    select ${chainColumns} from networks where is_active and factory is not null order by abbreviation`
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

const chainBlocks = defineTable('chain_blocks', {
  networkId: sql.uuid,
  number: sql.bigint,
  hash: sql.text,
  parent: sql.text,
  minedAt: sql.timestamptz,
})
const headerColumns = list(chainBlocks.columns('', 'number', 'hash', 'parent', 'minedAt'))

/** The newest block read so far. */
export async function findTip(db: Db, networkId: string): Promise<Header | undefined> {
  return selectOne(db)`
    select ${headerColumns} from chain_blocks
      where network_id = ${networkId} order by number desc limit 1`
}

export async function findHeader(db: Db, networkId: string, number: bigint): Promise<Header | undefined> {
  return selectOne(db)`
    select ${headerColumns} from chain_blocks
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
  const may = await selectValue(db)`select ${sql.boolean`has_table_privilege('chain_payments', 'insert')`}`
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

/** The deposit addresses. One is stored before it is given out, so no payment can precede it. */
export const chainAddresses = defineTable('chain_addresses', {
  networkId: sql.uuid,
  address: sql.text,
  ownerId: sql.uuid,
  salt: sql.text,
  /** Since when it waits for a sweep to the treasury, if it does. */
  wantedAt: withDefault(orNull(sql.timestamptz)),
  /** The running sweep. */
  sendId: withDefault(orNull(sql.uuid)),
  /** Sweeps that left something behind since the last deposit. */
  repeats: withDefault(sql.smallint),
})

const ownColumns = list(chainAddresses.columns('', 'address', 'ownerId'))
type Ours = RowOf<typeof ownColumns>

/** The deposit addresses among these. */
export async function findOurs(db: Db, networkId: string, addresses: readonly string[]): Promise<Ours[]> {
  return select(db)`
    select ${ownColumns} from chain_addresses
      where network_id = ${networkId} and address = any(${addresses})`
}

/** Payments to deposit addresses. */
export const chainPayments = defineTable('chain_payments', {
  id: sql.uuid,
  networkId: sql.uuid,
  txHash: sql.text,
  logIndex: sql.integer,
  ownerId: sql.uuid,
  address: sql.text,
  token: sql.text,
  amount: sql.numeric,
  blockNumber: sql.bigint,
  minedAt: sql.timestamptz,
  seenAt: sql.timestamptz,
  /** Set if a reorganisation removed it. */
  goneAt: withDefault(orNull(sql.timestamptz)),
  bookedAt: withDefault(orNull(sql.timestamptz)),
  /** How often it was booked. */
  bookings: withDefault(sql.smallint),
  /** True if it counts towards the requested amount. */
  isCounted: withDefault(sql.boolean),
  /** When it was compared with the market. */
  pricedAt: withDefault(orNull(sql.timestamptz)),
})

export type SeenMovement = Movement & { readonly id: string; readonly ownerId: string }

/** Stores payments. One that a reorganisation moved to another block is updated. */
export async function savePayments(
  tx: Tx,
  networkId: string,
  { number, minedAt }: Pick<Block, 'number' | 'minedAt'>,
  movements: readonly SeenMovement[],
  at: Date,
): Promise<void> {
  for (const { to, ...movement } of movements) {
    const payment = { ...movement, networkId, address: to, blockNumber: number, minedAt, seenAt: at }
    await execute(tx)`
      ${insertInto(chainPayments, payment)}
        on conflict (network_id, tx_hash, log_index, address, token, amount) do update
          set block_number = excluded.block_number, mined_at = excluded.mined_at, gone_at = null`
  }
}

const chainSweeps = defineTable('chain_sweeps', {
  networkId: sql.uuid,
  txHash: sql.text,
  logIndex: sql.integer,
  ownerId: sql.uuid,
  token: sql.text,
  amount: sql.numeric,
  blockNumber: sql.bigint,
})

export async function saveSweeps(
  tx: Tx,
  networkId: string,
  number: bigint,
  sweeps: readonly (Outgoing & { readonly ownerId: string })[],
): Promise<void> {
  for (const sweep of sweeps)
    await execute(tx)`${insertInto(chainSweeps, { ...sweep, networkId, blockNumber: number })}`
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

/** The newest final block of each network. */
const chainFinality = defineTable('chain_finality', {
  networkId: sql.uuid,
  number: sql.bigint,
  minedAt: sql.timestamptz,
  saidAt: sql.timestamptz,
  gasPrice: sql.numeric,
})

const finalityColumns = list(chainFinality.columns('', 'number', 'minedAt', 'gasPrice'))
export type Finality = RowOf<typeof finalityColumns>

export async function findFinality(db: Db, networkId: string): Promise<Finality | undefined> {
  return selectOne(db)`
    select ${finalityColumns} from chain_finality where network_id = ${networkId}`
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
