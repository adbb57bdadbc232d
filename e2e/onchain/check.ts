// Compares the network with the ledger after everything has ended.
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { codeHashIn } from '../../server/local/test/voucher-holder.ts'
import { voucherVaultAbi } from '../../server/src/chain/voucher-vault.gen.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { readVoucher } from './redeem.ts'
import { chainId, type Currency, type World } from './world.ts'

export type Found = { lostWei: bigint; doubled: number }

const currencies = ['ETH', 'USDT'] as const
/** Minor units of the ledger per smallest unit on the network. */
const units: Readonly<Record<Currency, bigint>> = { ETH: 1n, USDT: 10n ** 12n }

const open = {
  sends: 'select from chain_sends where ended_at is null',
  redemptions: 'select from address_redemptions where ended_at is null',
  logs: 'select from vault_events where (booked_at is null) = (gone_at is null)',
  vouchers: `select from onchain_vouchers where state = 'creating' or (closing is not null and state <> 'closed')`,
}

/**
 * Waits until nothing is on its way. Some redemptions end only after their deadline, and some logs never come back: after `patienceMs`, two
 * hours pass.
 */
export async function settle(world: World, patienceMs = 20_000): Promise<void> {
  const { pool, callNode } = world
  const startMs = performance.now()
  let hasPassed = false
  for (let quiet = 0; quiet < 3; ) {
    await sleep(300)
    const counts = await Promise.all(Object.values(open).map(async (sql) => (await pool.query(sql)).rowCount ?? 0))
    quiet = counts.every((count) => count === 0) ? quiet + 1 : 0
    const waitedMs = performance.now() - startMs
    if (!hasPassed && waitedMs > patienceMs) {
      hasPassed = true
      // Signatures and some vouchers expire. What has been gone for ten minutes is undone.
      await callNode('evm_increaseTime', 2 * 60 * 60)
      await pool.query(`update vault_events set gone_at = gone_at - interval '1 hour' where gone_at is not null`)
    }
    if (waitedMs > 240_000) {
      const named = Object.keys(open).map((name, i) => `${name}=${counts[i]}`)
      await reportOpenSends(world)
      throw new Error(`Not settled within four minutes: ${named.join(' ')}`)
    }
  }
}

/** What somebody who looks for the cause wants to know first. */
async function reportOpenSends({ pool, callNode }: World): Promise<void> {
  const { rows } = await pool.query<{ sender: string | null; hash: string | null }>(
    `select s.reference, s.lane, s.sender, s.nonce, s.from_address, s.missed_at, g.hash, g.max_fee
      from chain_sends s left join chain_signed g on g.send_id = s.id where s.ended_at is null`,
  )
  for (const row of rows) {
    const ask = async (method: string, ...params: unknown[]): Promise<unknown> => callNode(method, ...params)
    const count = row.sender && (await ask('eth_getTransactionCount', row.sender, 'latest'))
    const known = row.hash && (await ask('eth_getTransactionByHash', row.hash))
    const receipt = row.hash && (await ask('eth_getTransactionReceipt', row.hash))
    console.log('  open', row, { count, isKnown: Boolean(known), hasReceipt: Boolean(receipt) })
  }
}

export async function compare(world: World, faults: string[], before: Balances): Promise<Found> {
  const found = { lostWei: 0n, doubled: 0 }
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  await compareVouchers(world, expect)
  await compareRecipients(world, expect, found)
  await compareTreasury(world, expect, found, before)
  await compareStatuses(world, expect)
  faults.push(...(await verifyLedger(world.pool)))
  const logs = world.workers.map((worker) => worker.logs()).join('')
  expect(!/vault balance mismatch|differs from the vaults/.test(logs), 'a worker logged a mismatch')
  return found
}

type Expect = (holds: boolean, fault: string) => void

/** Each voucher, the sum of each vault, and the ledger's account of each vault. */
async function compareVouchers(world: World, expect: Expect): Promise<void> {
  const { pool, callNode, vaults, vouchers, networkId } = world
  const { rows } = await pool.query<{ codeHash: string; isOnchain: boolean; balance: bigint; claimed: bigint }>(
    `select o.code_hash as "codeHash", v.is_onchain as "isOnchain", a.balance, o.balance as claimed
      from onchain_vouchers o join vouchers v on v.id = o.voucher_id
      join ledger_accounts a on a.owner_id = v.id and a.kind = 'voucher'`,
  )
  expect(rows.length === vouchers.length, `${rows.length} onchain vouchers, ${vouchers.length} were issued`)
  for (const currency of currencies) {
    let sum = 0n
    for (const voucher of vouchers.filter((each) => each.currency === currency)) {
      const { balance } = await readVoucher(world, voucher)
      const codeHash = await codeHashIn({ code: voucher.code, vault: vaults[currency], chainId })
      const row = rows.find((each) => each.codeHash === codeHash)
      sum += balance
      if (row === undefined) expect(balance === 0n, `a voucher without a record holds ${balance}`)
      else if (row.isOnchain)
        expect(row.balance === balance * units[currency], `${codeHash}: vault ${balance}, ledger ${row.balance}`)
      else expect(balance === 0n, `${codeHash} is offchain, and the vault holds ${balance}`)
    }
    const data = encodeFunctionData({ abi: voucherVaultAbi, functionName: 'liabilities' })
    const liabilities = BigInt(await callNode<string>('eth_call', { to: vaults[currency], data }, 'latest'))
    expect(liabilities === sum, `the vault of ${currency} owes ${liabilities}, its vouchers hold ${sum}`)
    const booked = await readAccount(world, networkId, 'vault', currency)
    expect(booked === -sum * units[currency], `the ledger has ${booked} in the vault of ${currency}, not ${-sum}`)
  }
}

async function readAccount({ pool }: World, ownerId: string, kind: string, currency: Currency): Promise<bigint> {
  const { rows } = await pool.query<{ balance: bigint }>(
    `select a.balance from ledger_accounts a join ledger_books b on b.id = a.book_id
      where a.owner_id = $1 and a.kind::text = $2 and b.currency = $3`,
    [ownerId, kind, currency],
  )
  return rows[0]?.balance ?? 0n
}

type Paid = { readonly recipient: Hex; readonly token: Hex; readonly units: bigint; readonly status: string }

async function listPaid({ pool }: World): Promise<Paid[]> {
  const { rows } = await pool.query<Paid>(
    `select a.recipient, a.token, a.units, t.status from address_redemptions a
      join transactions t on t.environment_id = a.environment_id and t.id = a.id`,
  )
  return rows
}

/** Every address was named in one request, so its balance shows what that request paid. */
async function compareRecipients(world: World, expect: Expect, found: Found): Promise<void> {
  const { treasury, token } = world
  const due = new Map<Hex, bigint>()
  const tokenOf = new Map<Hex, Hex>()
  for (const { recipient, token: paid, units: amount, status } of await listPaid(world)) {
    if (recipient === treasury.toLowerCase()) continue
    tokenOf.set(recipient, paid)
    due.set(recipient, (due.get(recipient) ?? 0n) + (status === 'COMPLETED' ? amount : 0n))
  }
  for (const [recipient, wanted] of due) {
    const isToken = tokenOf.get(recipient) === token.toLowerCase()
    const held = await readBalance(world, recipient, isToken ? 'USDT' : 'ETH')
    if (held > wanted) found.doubled++
    if (held !== wanted) found.lostWei += held > wanted ? held - wanted : wanted - held
    expect(held === wanted, `${recipient} received ${held}, its redemptions say ${wanted}`)
  }
}

function readBalance({ callNode, token }: World, holder: Hex, currency: Currency): Promise<bigint> {
  if (currency === 'ETH') return callNode<string>('eth_getBalance', holder, 'latest').then(BigInt)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  return callNode<string>('eth_call', { to: token, data }, 'latest').then(BigInt)
}

export type Balances = Readonly<Record<Currency, bigint>>

export async function readTreasury(world: World): Promise<Balances> {
  const { treasury } = world
  return { ETH: await readBalance(world, treasury, 'ETH'), USDT: await readBalance(world, treasury, 'USDT') }
}

async function compareTreasury(world: World, expect: Expect, found: Found, before: Balances): Promise<void> {
  const { treasury, token } = world
  const now = await readTreasury(world)
  const paid = (await listPaid(world)).filter((each) => each.recipient === treasury.toLowerCase())
  for (const currency of currencies) {
    const own = paid.filter((each) => (each.token === token.toLowerCase()) === (currency === 'USDT'))
    const wanted = own.reduce((sum, each) => (each.status === 'COMPLETED' ? sum + each.units : sum), 0n)
    const got = now[currency] - before[currency]
    if (got !== wanted) found.lostWei += got > wanted ? got - wanted : wanted - got
    expect(got === wanted, `the treasury received ${got} ${currency}, its redemptions say ${wanted}`)
  }
}

async function compareStatuses({ pool }: World, expect: Expect): Promise<void> {
  const count = async (sql: string): Promise<number> => (await pool.query(sql)).rowCount ?? 0
  const sending = await count(`select from ledger_accounts where kind::text = 'sending' and balance <> 0`)
  expect(sending === 0, `${sending} accounts of redemptions on their way are not empty`)
  const processing = await count(`select from transactions where status = 'PROCESSING'`)
  expect(processing === 0, `${processing} redemptions are PROCESSING for ever`)
  const twice = await count(`select tx_hash, nonce from vault_events where kind = 'redeemed' and gone_at is null
    group by code_hash, vault, nonce, tx_hash having count(*) > 1`)
  expect(twice === 0, `${twice} redemptions were logged twice`)
}
