// A network with onchain vouchers, for tests of what merchants, holders and attackers do with them.
import type { Hex } from 'viem'
import { createPool, type Pool } from '../../src/base/db.ts'
import { voucherVaultAbi } from '../../src/chain/voucher-vault.gen.ts'
import { setManualRate } from '../../src/catalogue/currency/rates.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import type { WorldMerchant } from './api-world.ts'
import type { Reply } from './reply.ts'
import { type ChainWorld, createChainWorld } from './chain-world.ts'
import { directRedemption } from './voucher-holder.ts'

export type Issued = { readonly id: string; readonly code: string; readonly vault: Hex; readonly codeHash: Hex }
type Redeemed = Reply & { readonly referenceId: string }
type Direct = Omit<Parameters<typeof directRedemption>[1], 'nonce'> & { readonly nonce?: number }

export type OnchainWorld = ChainWorld & {
  /** Sees the rows of every environment. */
  readonly owner: Pool
  readonly setRates: () => Promise<void>
  /** Mines and works until what was sent is final and booked. A job that fails is run again later. */
  readonly finish: (times?: number) => Promise<void>
  /** Vouchers of 0.05 ETH by default, which are on their network. */
  readonly issue: (fields?: object) => Promise<Issued>
  readonly redeemFrom: (voucher: { readonly code: string }, body?: object, as?: WorldMerchant) => Promise<Redeemed>
  /** The reference of a redemption that was accepted. */
  readonly redeemed: (voucher: { readonly code: string }, body?: object, as?: WorldMerchant) => Promise<string>
  readonly balanceOf: (ownerId: string, kind?: string) => Promise<bigint>
  readonly inVault: (voucher: Issued) => Promise<bigint>
  readonly coinOf: (address: Hex) => Promise<bigint>
  readonly newWallet: () => Hex
  /** The holder redeems on the network, without the platform. */
  readonly holderRedeems: (voucher: Issued, wanted: Direct) => Promise<Hex>
  readonly runJob: (name: string) => Promise<void>
  /** The faults of the ledger, and the accounts of redemptions that are on their way. */
  readonly faults: () => Promise<unknown[]>
}

type Acts = Pick<OnchainWorld, 'setRates' | 'finish' | 'issue' | 'redeemFrom' | 'redeemed'>
type Reads = Pick<OnchainWorld, 'balanceOf' | 'inVault' | 'coinOf' | 'faults'>

export async function createOnchainWorld(nodesOf?: (url: string) => string[]): Promise<OnchainWorld> {
  const world = await createChainWorld(nodesOf)
  const owner = createPool(world.ownerUrl, 2)
  const acts = createActs(world, owner)
  const first = 0xdeadbeef_0000 + Math.floor(Math.random() * 2 ** 40) * 2 ** 8
  let wallets = 0
  await acts.setRates()
  await acts.finish()
  return {
    ...world,
    owner,
    ...acts,
    ...createReads(world, owner),
    newWallet: () =>
      `0x${BigInt(first + wallets++)
        .toString(16)
        .padStart(40, '0')}`,
    holderRedeems: async ({ code, vault }, wanted) => {
      const call = await directRedemption({ code, vault, chainId: world.client.chain.id }, { nonce: 0, ...wanted })
      return world.client.sendTransaction({ ...call, gas: 300_000n })
    },
    runJob: async (name) => {
      for (const job of world.jobs) if (job.name === name) while (await job.run()) continue
    },
    stop: async () => {
      await owner.end()
      await world.stop()
    },
  }
}

function createActs(world: ChainWorld, owner: Pool): Acts {
  let references = 0
  const finish: Acts['finish'] = async (times = 3) => {
    for (let i = 0; i < times; i++) {
      await world.ask('anvil_mine', '0x4')
      await runAll(world)
    }
  }
  const redeemFrom: Acts['redeemFrom'] = async (voucher, body = {}, as) => {
    const referenceId = `redemption-${references++}`
    const asked = { voucherCode: voucher.code, amount: '0.01', referenceId, ...body }
    return { referenceId, ...(await world.redeem(asked, { ...(as && { as }) })) }
  }
  return {
    finish,
    redeemFrom,
    setRates: async () => {
      await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
      await setManualRate(world.pool, 'USDT', 'USD', '1', world.clock)
      await setManualRate(world.pool, 'ETH', 'USDT', '2000', world.clock)
    },
    issue: async (fields = {}) => {
      const reply = await world.post('/sandbox/vouchers', { amount: '0.05', currency: 'ETH', onchain: true, ...fields })
      if (reply.status !== 200) throw new Error(reply.text)
      await finish()
      const { rows } = await owner.query<Issued & { state: string }>(
        `select voucher_id as id, vault, code_hash as "codeHash", state from onchain_vouchers where voucher_id = $1`,
        [reply.data.id],
      )
      if (rows[0]?.state !== 'open') throw new Error('A voucher is not on its network.')
      return { ...rows[0], code: String(reply.data.code) }
    },
    redeemed: async (voucher, body, as) => {
      const reply = await redeemFrom(voucher, body, as)
      if (reply.status !== 200) throw new Error(reply.text)
      return reply.referenceId
    },
  }
}

async function runAll({ jobs }: ChainWorld): Promise<void> {
  for (const { run, settle } of jobs) {
    while (await run().catch(() => false)) continue
    await settle?.()
  }
}

function createReads(world: ChainWorld, owner: Pool): Reads {
  return {
    balanceOf: async (ownerId, kind = 'voucher') => {
      const { rows } = await owner.query<{ balance: bigint }>(
        'select coalesce(sum(balance), 0) as balance from ledger_accounts where owner_id = $1 and kind::text = $2',
        [ownerId, kind],
      )
      return rows[0]?.balance ?? 0n
    },
    inVault: async ({ vault, codeHash }) => {
      const call = { address: vault, abi: voucherVaultAbi, functionName: 'getVoucher', args: [codeHash] } as const
      return (await world.client.readContract(call)).balance
    },
    coinOf: (address) => world.client.getBalance({ address }),
    faults: async () => {
      const { rows } = await owner.query<object>(
        `select owner_id, balance from ledger_accounts where kind::text = 'sending' and balance <> 0`,
      )
      return [...(await verifyLedger(owner)), ...rows]
    },
  }
}
