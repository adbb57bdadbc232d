import type { Db, Tx } from '../base/db.ts'
import { execute, executeOne, select, selectOne, selectValue } from '../base/sql.ts'
import type { Block, Header, Movement, Outgoing } from './block.ts'

/** A network that deposits are taken on. */
export type Chain = {
  readonly id: string
  readonly abbreviation: string
  readonly chainId: bigint
  readonly mode: 'live' | 'test'
  readonly factory: string
  readonly treasury: string
  readonly sweeperHash: string
  /** How many blocks have to be above a final one. None: the nodes say what is final. */
  readonly finalDepth: number | null
  /** The operator accepts that one node could invent payments. */
  readonly trustsOneNode: boolean
}

export async function listChains(db: Db): Promise<Chain[]> {
  return select<Chain>(db)`
    select id, abbreviation, chain_id as "chainId", mode, factory, treasury, sweeper_hash as "sweeperHash",
      final_depth as "finalDepth", trusts_one_node as "trustsOneNode" from networks where is_active and factory is not null order by abbreviation`
}

/** By its abbreviation or its id. */
export async function findChain(db: Db, name: string): Promise<Chain | undefined> {
  return (await listChains(db)).find(({ abbreviation, id }) => abbreviation === name || id === name)
}

type Deployment = Pick<Chain, 'abbreviation' | 'factory' | 'treasury' | 'sweeperHash'> & {
  readonly finalDepth?: number
  readonly trustsOneNode?: boolean
}

/** Says no where there is no such network, or its addresses are of another factory or treasury: what comes in there would be lost. */
export async function activateDeposits(db: Db, deployment: Deployment): Promise<boolean> {
  const { abbreviation, factory, treasury, sweeperHash, finalDepth, trustsOneNode = false } = deployment
  return executeOne(db)`
    update networks set factory = ${factory.toLowerCase()}, treasury = ${treasury.toLowerCase()},
        sweeper_hash = ${sweeperHash}, final_depth = coalesce(${finalDepth}, final_depth), trusts_one_node = ${trustsOneNode}
      where abbreviation = ${abbreviation} and coalesce(sweeper_hash, ${sweeperHash}) = ${sweeperHash}
        and coalesce(factory, ${factory.toLowerCase()}) = ${factory.toLowerCase()}`
}

/** The newest block that was read. */
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

/** Where to begin. Nobody was given an address before. */
export async function beginAt(db: Db, networkId: string, { number, hash, parent, minedAt }: Header): Promise<void> {
  await execute(db)`
    insert into chain_blocks (network_id, number, hash, parent, mined_at)
      select ${networkId}, ${number}, ${hash}, ${parent}, ${minedAt}
      where not exists (select from chain_blocks where network_id = ${networkId}) on conflict do nothing`
}

/** Payments on a chain become money, so a role of its own records them. */
export async function checkChainRole(db: Db): Promise<void> {
  const may = await selectValue<boolean>(db)`select has_table_privilege('chain_payments', 'insert') as may`
  if (may !== true)
    throw new Error('CHAIN_DATABASE_URL must connect as scrip_chain: it records the payments that networks report.')
}

/** Who adds blocks and who takes them back wait for each other, also where two processes read for a moment. */
export async function lockChain(tx: Tx, networkId: string): Promise<void> {
  await execute(tx)`select from networks where id = ${networkId} for no key update`
}

/** Adds a block if the one before it is its parent, also where others read along. Says whether it did. */
export async function addBlock(tx: Tx, networkId: string, block: Header): Promise<boolean> {
  const { number, hash, parent, minedAt } = block
  const added = await execute(tx)`
    insert into chain_blocks (network_id, number, hash, parent, mined_at)
      select ${networkId}, ${number}, ${hash}, ${parent}, ${minedAt} from chain_blocks
      where network_id = ${networkId} and number = ${number - 1n} and hash = ${parent} on conflict do nothing`
  return added === 1
}

type Ours = { readonly address: string; readonly ownerId: string }

/** Which of these are ours. An address is handed out after it is here, so that none is paid before. */
export async function findOurs(db: Db, networkId: string, addresses: readonly string[]): Promise<Ours[]> {
  return select<Ours>(db)`
    select address, owner_id as "ownerId" from chain_addresses
      where network_id = ${networkId} and address = any(${addresses})`
}

export type SeenMovement = Movement & { readonly id: string; readonly ownerId: string }

/** One that was in another block before has come again. */
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

/** Forgets the blocks above, and what was paid and swept in them. */
export async function rollBack(tx: Tx, networkId: string, above: bigint, at: Date): Promise<void> {
  await execute(tx)`delete from chain_blocks where network_id = ${networkId} and number > ${above}`
  await execute(tx)`
    update chain_payments set gone_at = ${at}
      where network_id = ${networkId} and block_number > ${above} and gone_at is null`
  await execute(tx)`delete from chain_sweeps where network_id = ${networkId} and block_number > ${above}`
  await execute(tx)`update chain_finality set number = ${above} where network_id = ${networkId} and number > ${above}`
}

export type Finality = { readonly number: bigint; readonly minedAt: Date; readonly gasPrice: bigint }

export async function findFinality(db: Db, networkId: string): Promise<Finality | undefined> {
  return selectOne<Finality>(db)`
    select number, mined_at as "minedAt", gas_price as "gasPrice" from chain_finality where network_id = ${networkId}`
}

/** That it is final up to a block of ours. */
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

/** So many stay below what is final, to find the way back if even that is undone. */
export async function forgetBlocks(db: Db, networkId: string, below: bigint): Promise<void> {
  await execute(db)`delete from chain_blocks where network_id = ${networkId} and number < ${below}`
}
