import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asRole } from '../../../local/parts/database.ts'
import { createPool, inTransaction, type Tx } from '../../base/db.ts'
import { createOnchainWorld, type Issued, type OnchainWorld } from '../../../local/test/onchain-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { openLedger } from '../../ledger/post.ts'
import { fundMerchant } from '../../identity/merchant/fund.ts'

let world: OnchainWorld
beforeAll(async () => {
  world = await createOnchainWorld()
})
afterAll(() => world.stop())

const milli = 10n ** 15n

/** Undoes the newest blocks, final ones too, and everything in them. The platform's own transactions are dropped from the node. */
const undo = async (blocks: number): Promise<void> => {
  await world.ask('anvil_reorg', blocks, [])
  await world.ask('anvil_dropAllTransactions')
}
const blockNumber = async (): Promise<number> => Number(await world.ask<string>('eth_blockNumber'))
const adminOf = (): Promise<bigint> => world.balanceOf(world.ours.environmentId, 'merchant_admin')
const agree = async (voucher: Issued): Promise<void> => {
  expect(await world.balanceOf(voucher.id)).toBe(await world.inVault(voucher))
  const { rows } = await world.owner.query<{ balance: bigint; nonce: number }>(
    'select balance, nonce from onchain_vouchers where voucher_id = $1',
    [voucher.id],
  )
  expect(rows[0]?.balance).toBe(await world.inVault(voucher))
}
/** Time passes on the platform, and what stays gone is undone. */
const forget = async (): Promise<void> => {
  await world.owner.query(`update vault_events set gone_at = gone_at - interval '1 hour' where gone_at is not null`)
  await world.pass(10)
  await world.finish()
}

test('a final redemption that its network replaced by one of the holder is REVERSED, and everybody has their own back', async () => {
  const setTakes = (takeChargesFromWallet: boolean) =>
    world.post('/merchant-integrations/update-admin-charges', { takeChargesFromWallet })
  restoreAfterTest(() => setTakes(false))
  await setTakes(true)
  await world.fund(1, { currency: 'ETH', account: 'admin' })
  const [toAddress, toTreasury] = [await world.issue(), await world.issue()]
  const before = { admin: await adminOf(), merchant: await world.balanceOf(world.ours.environmentId, 'merchant') }
  const start = await blockNumber()
  const walletAddress = world.newWallet()
  const references = [await world.redeemed(toAddress, { walletAddress }), await world.redeemed(toTreasury)]
  await world.finish()
  for (const reference of references) expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect(await adminOf()).toBeLessThan(before.admin)

  await undo((await blockNumber()) - start)
  const holder = world.newWallet()
  for (const voucher of [toAddress, toTreasury])
    await world.holderRedeems(voucher, { recipient: holder, amount: 20n * milli })
  await world.finish()
  await world.pass(20)
  await world.finish(4)
  for (const reference of references) expect(await world.statusOf(reference)).toBe('REVERSED')
  expect([await world.coinOf(walletAddress), await world.coinOf(holder)]).toEqual([0n, 40n * milli])
  expect(await adminOf()).toBe(before.admin)
  expect(await world.balanceOf(world.ours.environmentId, 'merchant')).toBe(before.merchant)
  for (const voucher of [toAddress, toTreasury]) await agree(voucher)
  expect(await world.faults()).toEqual([])
  // And the vouchers go on with the right nonce.
  const next = await world.redeemed(toAddress, { walletAddress })
  await world.finish()
  expect(await world.statusOf(next)).toBe('COMPLETED')
})

test('a redemption of ours that is undone comes back by itself and stays COMPLETED', async () => {
  const voucher = await world.issue()
  const start = await blockNumber()
  const walletAddress = world.newWallet()
  const reference = await world.redeemed(voucher, { walletAddress })
  await world.finish()
  await undo((await blockNumber()) - start)
  expect(await world.coinOf(walletAddress)).toBe(0n)
  await world.pass(20)
  await world.finish()
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect(await world.coinOf(walletAddress)).toBe(10n * milli)
  await agree(voucher)
})

test('a redemption by the holder that is undone for good is REVERSED, and counts again if it comes back after all', async () => {
  const voucher = await world.issue()
  const start = await blockNumber()
  const hash = await world.holderRedeems(voucher, { recipient: world.newWallet(), amount: 20n * milli })
  const raw = await world.ask<Hex>('eth_getRawTransactionByHash', hash)
  await world.finish()
  const statusOf = (times = ''): Promise<string> => world.statusOf(`onchain-${hash}-0${times}`)
  expect(await statusOf()).toBe('COMPLETED')
  await undo((await blockNumber()) - start)
  await world.finish()
  await forget()
  expect(await statusOf()).toBe('REVERSED')
  expect(await world.balanceOf(voucher.id)).toBe(50n * milli)
  await agree(voucher)
  await world.ask('eth_sendRawTransaction', raw)
  await world.finish()
  expect([await statusOf(), await statusOf('-2')]).toEqual(['REVERSED', 'COMPLETED'])
  await agree(voucher)
  expect(await world.faults()).toEqual([])
})

test('a closing that returns less after a reorganisation is booked with what it returned', async () => {
  const voucher = await world.issue()
  await world.post(`/merchant-integrations-server/vouchers/${voucher.id}/block`, {})
  await world.runJob('closings')
  await world.ask('evm_setAutomine', false)
  await world.runJob('unsent of voucher')
  await world.ask('anvil_mine', '0x1')
  await world.runJob('blocks of LOCAL')
  const { rows } = await world.owner.query<{ raw: Hex }>(
    `select v.raw from chain_signed v join onchain_vouchers o on o.close_send_id = v.send_id where o.voucher_id = $1`,
    [voucher.id],
  )
  await undo(1)
  await world.ask('evm_setAutomine', true)
  const recipient = world.newWallet()
  await world.holderRedeems(voucher, { recipient, amount: 20n * milli })
  await world.ask('eth_sendRawTransaction', rows[0]?.raw)
  await world.finish()
  await world.pass(20)
  await world.finish()
  expect(await world.coinOf(recipient)).toBe(20n * milli)
  expect([await world.balanceOf(voucher.id), await world.inVault(voucher)]).toEqual([30n * milli, 0n])
  const events = await world.owner.query(
    `select amount, booked_at is not null as "isBooked", gone_at is not null as "isGone" from vault_events
      where kind = 'closed' and code_hash = $1 order by amount`,
    [voucher.codeHash],
  )
  expect(events.rows).toEqual([
    { amount: 30n * milli, isBooked: true, isGone: false },
    { amount: 50n * milli, isBooked: false, isGone: true },
  ])
  expect(await world.faults()).toEqual([])
})

test('a closing that was undone and comes back leaves no second closing waiting', async () => {
  const voucher = await world.issue()
  await world.post(`/merchant-integrations-server/vouchers/${voucher.id}/block`, {})
  const start = await blockNumber()
  await world.runJob('closings')
  await world.finish()
  const closings = async (): Promise<{ raw: Hex | null; isEnded: boolean }[]> => {
    const { rows } = await world.owner.query<{ raw: Hex | null; isEnded: boolean }>(
      `select v.raw, s.ended_at is not null as "isEnded" from chain_sends s left join chain_signed v on v.send_id = s.id
        where s.data like '%' || substr($1, 3) || '%' and s.reference like 'close/%' order by s.id`,
      [voucher.codeHash],
    )
    return rows
  }
  const [first] = await closings()
  await undo((await blockNumber()) - start)
  // The network goes on without it, and the platform gives it up.
  await world.ask('anvil_mine', '0x8')
  await world.runJob('blocks of LOCAL')
  await world.owner.query(`update vault_events set gone_at = gone_at - interval '1 hour' where gone_at is not null`)
  await world.runJob('undone logs of vaults')
  await world.runJob('closings')
  expect((await closings()).map(({ isEnded }) => isEnded)).toEqual([true, false])

  await world.ask('eth_sendRawTransaction', first?.raw)
  await world.finish()
  expect((await closings()).map(({ isEnded }) => isEnded)).toEqual([true, true])
  expect([await world.balanceOf(voucher.id), await world.inVault(voucher)]).toEqual([50n * milli, 0n])
  expect(await world.faults()).toEqual([])
})

/** As the operator does, who alone may bring money into a live book. */
const fundLive = async (environmentId: string): Promise<void> => {
  const url = asRole(world.ownerUrl, 'scrip_operator')
  const ledger = openLedger({ url, clock: world.clock, newId: world.newId })
  const funding = { account: 'balance', currency: 'ETH', amount: '1', reference: 'BANK-1' } as const
  await fundMerchant({ pool: world.pool, ledger, newId: world.newId }, { environmentId, mode: 'live' }, funding)
  await ledger.close()
}

test('in live books vouchers are issued, redeemed, undone and closed, by the role of the server', async () => {
  const setNetwork = (mode: 'live' | 'test', isTrusted: boolean) =>
    world.owner.query('update networks set mode = $2, trusts_one_node = $3 where id = $1', [
      world.networkId,
      mode,
      isTrusted,
    ])
  restoreAfterTest(() => setNetwork('test', false))
  await setNetwork('live', true)
  const { ours } = world
  const as = { ...ours, publicKey: ours.livePublicKey, secretKey: ours.liveSecretKey }
  const { rows } = await world.owner.query<{ id: string }>(
    `select id from merchant_environments where merchant_id = $1 and mode = 'live'`,
    [ours.merchantId],
  )
  const environmentId = rows[0]?.id ?? ''
  await fundLive(environmentId)
  const issue = async (): Promise<Issued> => {
    const order = { amount: '0.05', currency: 'ETH', onchain: true }
    const reply = await world.post('/merchant-integrations-server/vouchers', order, as)
    expect(reply.status, reply.text).toBe(200)
    await world.finish()
    const found = await world.owner.query<Issued>(
      `select voucher_id as id, vault, code_hash as "codeHash" from onchain_vouchers where voucher_id = $1 and state = 'open'`,
      [reply.data.id],
    )
    const [row] = found.rows
    if (row === undefined) throw new Error('A voucher is not on its network.')
    return { ...row, code: String(reply.data.code) }
  }
  const statusOf = (reference: string): Promise<string> => world.statusOf(reference, as)
  const [redeemed, closed, undone] = [await issue(), await issue(), await issue()]
  const toAddress = await world.redeemed(redeemed, { walletAddress: world.newWallet() }, as)
  await world.finish()
  const toTreasury = await world.redeemed(redeemed, {}, as)
  await world.post(`/merchant-integrations-server/vouchers/${closed.id}/block`, {}, as)
  await world.finish()
  expect([await statusOf(toAddress), await statusOf(toTreasury)]).toEqual(['COMPLETED', 'COMPLETED'])
  await world.pass(10)
  await world.finish()
  const { rows: states } = await world.owner.query('select state from onchain_vouchers where voucher_id = $1', [
    closed.id,
  ])
  expect(states).toEqual([{ state: 'closed' }])

  const start = await blockNumber()
  const reversed = await world.redeemed(undone, {}, as)
  await world.finish()
  await undo((await blockNumber()) - start)
  await world.holderRedeems(undone, { recipient: world.newWallet(), amount: 20n * milli })
  await world.finish()
  await world.pass(20)
  await world.finish(4)
  expect(await statusOf(reversed)).toBe('REVERSED')
  for (const voucher of [redeemed, undone]) await agree(voucher)
  expect(await world.faults()).toEqual([])
})

test('an undone redemption brings no more into a live book than it took out, and only once', async () => {
  const { rows } = await world.owner.query<Undone>(
    `select k.event_id as event, k.journal_id as booking, t.to_owner as vault, t.book_id as book, m.id as merchant
      from vault_bookings k join vault_events e on e.id = k.event_id and e.kind = 'redeemed' and e.gone_at is not null
      join ledger_transfers t on t.journal_id = k.journal_id and t.to_kind = 'vault'
      join ledger_books b on b.id = t.book_id and b.mode = 'live'
      join merchant_environments m on m.merchant_id = $1 and m.mode = 'live'
      where k.undone_by is not null limit 1`,
    [world.ours.merchantId],
  )
  const [undone] = rows
  if (undone === undefined) throw new Error('No redemption was undone.')
  const server = createPool(asRole(world.ownerUrl, 'scrip_server'), 1)
  const bringBack = (amount: bigint, claim: (tx: Tx, journal: string) => Promise<unknown>): Promise<unknown> =>
    inTransaction(server, async (tx) => {
      const journal = world.newId()
      await tx.query(
        `insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at)
          values ($1, $1, $1, 'vault.undo', 0, $2)`,
        [journal, world.clock()],
      )
      await claim(tx, journal)
      await tx.query(
        `insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount)
          values ($1, 0, $2, 'vault', 'merchant', $3, $4, $5)`,
        [journal, undone.book, undone.vault, undone.merchant, amount],
      )
    })
  // The same booking again, a booking of an older journal, and a booking of a journal that takes nothing out.
  const again = (tx: Tx, journal: string): Promise<unknown> =>
    tx.query('update vault_bookings set undone_by = $1 where journal_id = $2', [journal, undone.booking])
  const older = (tx: Tx, journal: string): Promise<unknown> =>
    tx.query(
      `insert into vault_bookings (journal_id, event_id, undone_by)
        select id, $1, $2 from ledger_journals where id <> $2 and id not in (select journal_id from vault_bookings) limit 1`,
      [undone.event, journal],
    )
  const own = (tx: Tx, journal: string): Promise<unknown> =>
    tx.query('insert into vault_bookings (journal_id, event_id, undone_by) values ($1, $2, $1)', [
      journal,
      undone.event,
    ])
  for (const claim of [again, older, own])
    for (const amount of [1n, 10n ** 30n])
      await expect(bringBack(amount, claim)).rejects.toMatchObject({ code: '42501' })
  await server.end()
})

type Undone = {
  readonly event: string
  readonly booking: string
  readonly vault: string
  readonly book: number
  readonly merchant: string
}
