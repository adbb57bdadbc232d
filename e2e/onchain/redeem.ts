// Redeems vouchers at tills, on the network by their holders, and blocks or cancels some, all at the same time.
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type Connection, distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { codeHashIn, directRedemption } from '../../server/local/test/voucher-holder.ts'
import { voucherVaultAbi } from '../../server/src/chain/voucher-vault.gen.ts'
import { server } from '../voucher-lifecycle/world.ts'
import { chainId, pick, send, sendOrThrow, type Voucher, wholes, type World } from './world.ts'

export type Counts = { redemptions: number; direct: number; reorgs: number; refused: number }
/** Signed transactions of holders, to be sent again after a reorganisation. */
export type Sent = { readonly raw: Hex; readonly hash: Hex }

let wallets = 0
const newWallet = (): Hex => `0x${(0x0c4a1_0000_0000n + BigInt(wallets++)).toString(16).padStart(40, '0')}`

/** Redeems until so many requests were accepted. A voucher takes one redemption at a time, so many are refused. */
export async function redeemAll(world: World, wanted: number, counts: Counts, isOver: () => boolean): Promise<void> {
  offchain ??= await issueOffchain(world)
  const codes = offchain
  const redeemOn = async (connection: Connection): Promise<void> => {
    while (counts.redemptions < wanted && !isOver()) {
      const i = requests++
      const isAccepted =
        i % 5 === 0
          ? await payOut(world, connection, pick(codes), i)
          : await redeemPart(world, connection, pick(world.vouchers), i)
      if (isAccepted) counts.redemptions++
      else {
        counts.refused++
        await sleep(20)
      }
    }
  }
  await withConnections([world.api], 6, async (connections) => {
    await Promise.all(connections.map(redeemOn))
  })
}
let requests = 0
let offchain: string[] | undefined

async function issueOffchain({ api, merchant }: World): Promise<string[]> {
  const codes: string[] = []
  await withConnections([api], 4, (connections) =>
    distribute(connections, 8, async (connection) => {
      const { code } = await sendOrThrow<{ code: string }>(
        connection,
        merchant.post('/sandbox/vouchers', { amount: 50_000, currency: 'USD' }),
      )
      codes.push(code)
    }),
  )
  return codes
}

async function redeemPart(world: World, connection: Connection, voucher: Voucher, i: number): Promise<boolean> {
  const merchant = i % 3 === 0 ? world.other : world.merchant
  const { code: voucherCode, currency } = voucher
  const part = currency === 'ETH' ? `0.0${1 + (i % 9)}` : `${5 + (i % 40)}.00000${i % 10}`
  const amount = i % 17 === 0 ? 'max' : part
  const target = i % 4 === 0 ? {} : { walletAddress: newWallet() }
  const body = { voucherCode, amount, referenceId: `part-${i}`, ...target }
  const { status } = await send(connection, merchant.post('/merchant-integrations/redeem-voucher', body))
  return status === 200
}

async function payOut({ merchant }: World, connection: Connection, voucherCode: string, i: number): Promise<boolean> {
  const target = { walletAddress: newWallet(), blockchainNetworkAbbreviation: 'LOCAL' }
  const toCurrencyAbbreviation = i % 2 === 0 ? 'ETH' : 'USDT'
  const body = { voucherCode, amount: 5 + (i % 20), referenceId: `payout-${i}`, toCurrencyAbbreviation, ...target }
  const { status } = await send(connection, merchant.post('/merchant-integrations/redeem-voucher', body))
  return status === 200
}

/** A holder signs with the code and sends it from an account of the network. Undefined if the voucher is not there. */
export async function redeemDirectly(world: World, voucher: Voucher): Promise<Sent | undefined> {
  const { callNode, vaults } = world
  const { code, currency } = voucher
  const vault = vaults[currency]
  const held = { code, vault, chainId }
  const { balance, nonce } = await readVoucher(world, voucher)
  if (balance === 0n) return undefined
  const part = wholes[currency] / (currency === 'ETH' ? 100n : 1n)
  const amount = part < balance ? part : balance
  const call = await directRedemption(held, { recipient: newWallet(), amount, nonce })
  const from = pick((await callNode<string[]>('eth_accounts')).slice(5))
  const hash = await callNode<Hex>('eth_sendTransaction', { from, ...call, gas: '0x493e0' })
  return { hash, raw: await callNode<Hex>('eth_getRawTransactionByHash', hash) }
}

export async function readVoucher(
  { callNode, vaults }: World,
  { code, currency }: Voucher,
): Promise<{ balance: bigint; nonce: number }> {
  const vault = vaults[currency]
  const args = [await codeHashIn({ code, vault, chainId })] as const
  const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'getVoucher', args })
  const result = await callNode<Hex>('eth_call', { to: vault, data }, 'latest')
  return decodeFunctionResult({ abi: voucherVaultAbi, functionName: 'getVoucher', data: result })
}

/** Blocks one voucher and cancels another, while they may be on their way. */
export async function withdrawSome(world: World, connection: Connection): Promise<void> {
  const { merchant, vouchers } = world
  const [blocked, cancelled] = [pick(vouchers), pick(vouchers)]
  const ids = [await idOf(world, blocked), await idOf(world, cancelled)]
  await send(connection, merchant.post(`${server}/vouchers/${ids[0]}/block`, {}))
  await send(connection, merchant.post(`${server}/vouchers/${ids[1]}/cancel`, { voucherCode: cancelled.code }))
}

async function idOf({ pool, vaults }: World, { id, code, currency }: Voucher): Promise<string> {
  if (id !== '') return id
  const codeHash = await codeHashIn({ code, vault: vaults[currency], chainId })
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(
      'select voucher_id as id from onchain_vouchers where code_hash = $1',
      [codeHash],
    )
    if (rows[0] !== undefined) return rows[0].id
    await sleep(100)
  }
}

/** Undoes blocks. Holders send again what is no longer in a block; the platform must do that by itself. */
export async function reorganise(world: World, depth: number, sent: readonly Sent[], counts: Counts): Promise<void> {
  const { callNode, nodes, mining } = world
  mining.isHeld = true
  await sleep(200)
  await Promise.all(nodes.map((node) => node.pause()))
  await callNode('anvil_reorg', depth, []).catch(() => undefined)
  for (const node of nodes) node.resume()
  counts.reorgs++
  for (const { raw, hash } of sent) {
    const receipt = await callNode<object | null>('eth_getTransactionReceipt', hash)
    if (receipt === null) await callNode('eth_sendRawTransaction', raw).catch(() => undefined)
  }
  mining.isHeld = false
}
