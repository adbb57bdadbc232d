// Only the operator and final chain payments bring money into a live book. These are attacks with a stolen database
// credential of the server, which used to create money.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { asRole } from '../local/parts/database.ts'
import { restoreAfterTest } from '../local/test/restore.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { createPool, type Pool } from './base/db.ts'
import { systemClock } from './base/clock.ts'
import { setManualRate } from './catalogue/currency/rates.ts'
import { settleDesk } from './catalogue/exchange/settle-desk.ts'
import { ensureBook } from './ledger/book.ts'
import { openLedger } from './ledger/post.ts'
import { verifyLedger } from './ledger/verify.ts'
import { fundMerchant } from './identity/merchant/fund.ts'

let world: ApiWorld
let server: Pool
let operator: Pool
let owner: Pool
let operatorUrl: string
let shop: { environmentId: string; mode: 'live' }
beforeAll(async () => {
  const database = await createTestDatabase()
  operatorUrl = database.operatorUrl
  world = await createApiWorld(database.url)
  server = createPool(database.url, 4)
  operator = createPool(operatorUrl, 2)
  owner = createPool(database.ownerUrl, 2)
  const { rows } = await owner.query<{ id: string }>(
    `select id from merchant_environments where merchant_id = $1 and mode = 'live'`,
    [world.ours.merchantId],
  )
  shop = { environmentId: rows[0]?.id ?? '', mode: 'live' }
})
afterAll(async () => {
  await Promise.all([server.end(), operator.end(), owner.end()])
  await world.close()
})

type Move = { book: number; from: [string, string]; to: [string, string]; amount: string }

/** Posts a journal by plain SQL, as an attacker with the credential would. */
async function post(pool: Pool, moves: readonly Move[], before: (journal: string) => [string, unknown[]][] = () => []) {
  const journal = randomUUID()
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const { book, from, to } of moves)
      for (const [ownerId, kind] of [from, to])
        await client.query(
          `insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
            values ($1, $2, $3::ledger_account_kind, $3 in ('treasury', 'exchange', 'gas')) on conflict do nothing`,
          [book, ownerId, kind],
        )
    await client.query(
      `insert into ledger_journals (id, key_hash, fingerprint, kind, alternative, posted_at) values ($1, $2, $3, 'wallet.fund', 0, $4)`,
      [journal, randomUUID(), randomUUID(), new Date()],
    )
    for (const [text, values] of before(journal)) await client.query(text, values)
    for (const [i, { book, from, to, amount }] of moves.entries())
      await client.query(
        `insert into ledger_transfers (journal_id, position, book_id, from_kind, to_kind, from_owner, to_owner, amount)
          values ($1, $2, $3, $4::ledger_account_kind, $5::ledger_account_kind, $6, $7, $8)`,
        [journal, i, book, from[1], to[1], from[0], to[0], amount],
      )
    await client.query('commit')
    return 'posted'
  } catch (error) {
    await client.query('rollback')
    return (error as { code: string }).code
  } finally {
    client.release()
  }
}
const bookOf = (mode: 'live' | 'test', currency: string): Promise<number> => ensureBook(server, mode, currency)

test('the server’s role cannot bring money into a live book from any outside account', async () => {
  const [book, me] = [await bookOf('live', 'USD'), randomUUID()]
  for (const kind of ['treasury', 'gas'])
    expect([kind, await post(server, [{ book, from: [me, kind], to: [me, 'wallet'], amount: '100000000' }])]).toEqual([
      kind,
      '42501',
    ])
  // Nor through a desk, a purse, or in steps.
  expect(await post(server, [{ book, from: [me, 'exchange'], to: [me, 'wallet'], amount: '100' }])).toBe('42501')
  const steps: Move[] = [
    { book, from: [me, 'treasury'], to: [me, 'purse'], amount: '100' },
    { book, from: [me, 'purse'], to: [me, 'wallet'], amount: '100' },
  ]
  expect(await post(server, steps)).toBe('42501')
  const { rows } = await owner.query('select from ledger_accounts where owner_id = $1', [me])
  expect(rows).toEqual([])
})

test('the sandbox can create test money', async () => {
  const [book, me] = [await bookOf('test', 'USD'), randomUUID()]
  expect(await post(server, [{ book, from: [me, 'treasury'], to: [me, 'wallet'], amount: '100' }])).toBe('posted')
})

test('the operator’s funding is recorded with the role that posted it', async () => {
  const ledger = openLedger({ url: operatorUrl, clock: systemClock, newId: world.newId })
  const tools = { pool: operator, ledger, newId: world.newId }
  const funding = { account: 'balance', currency: 'USD', amount: '1000.00', reference: 'BANK-1' } as const
  const { journalId } = await fundMerchant(tools, shop, funding)
  const { rows } = await owner.query('select amount, posted_by from ledger_fundings where journal_id = $1', [journalId])
  expect(rows).toEqual([{ amount: 100_000n, posted_by: 'scrip_operator' }])
  await ledger.close()
  const asServer = openLedger({ url: asRole(operatorUrl, 'scrip_server'), clock: systemClock, newId: world.newId })
  await expect(
    fundMerchant({ pool: server, ledger: asServer, newId: world.newId }, shop, { ...funding, reference: 'BANK-2' }),
  ).rejects.toMatchObject({ code: '42501' })
  await asServer.close()
  expect(await verifyLedger(owner)).toEqual([])
})

test('the server’s role cannot write chain payments, finality, tokens, rates or fundings', async () => {
  const attempts = [
    `insert into chain_payments (id, network_id, tx_hash, log_index, owner_id, address, token, amount, block_number, mined_at, seen_at)
      select gen_random_uuid(), id, 'x', -1, gen_random_uuid(), 'x', 'x', 1, 1, '2026-01-01', '2026-01-01' from networks limit 1`,
    `update chain_payments set gone_at = null, block_number = 1`,
    `insert into chain_finality (network_id, number, mined_at, said_at, gas_price) select id, 1, '2026-01-01', '2026-01-01', 1 from networks limit 1`,
    `update chain_finality set number = 1000000`,
    `insert into chain_blocks (network_id, number, hash, parent, mined_at) select id, 1, 'a', 'b', '2026-01-01' from networks limit 1`,
    `update network_tokens set decimals = 0`,
    `insert into network_tokens (network_id, currency_id, address, decimals)
      select n.id, c.id, '0x${'1'.repeat(40)}', 0 from networks n, currencies c limit 1`,
    `update currencies set desk_limit = 10 ^ 30`,
    `update exchange_rates set rate = 1000`,
    `insert into exchange_rates values ('USD', 'EUR', 'manual', 1000, '2026-01-01')`,
    `update exchange_pairs set spread_ppm = 0, tolerance_ppm = 0`,
    `update exchange_settings set is_stopped = false`,
    `insert into ledger_fundings values (gen_random_uuid(), 1, 1, 'scrip_operator')`,
    `set role scrip_operator`,
  ]
  for (const attempt of attempts) await expect(server.query(attempt), attempt).rejects.toMatchObject({ code: '42501' })
})

test('a final chain payment is booked once, with its exact amount', async () => {
  const chain = createPool(asRole(operatorUrl, 'scrip_chain'), 1)
  const [book, me, payment] = [await bookOf('live', 'USDT'), randomUUID(), randomUUID()]
  const { rows } = await owner.query<{ id: string; token: string }>(
    `select n.id, lower(t.address) as token from networks n join network_tokens t on t.network_id = n.id
      join currencies c on c.id = t.currency_id where n.abbreviation = 'BSC' and c.abbreviation = 'USDT'`,
  )
  const { id: network = '', token = '' } = rows[0] ?? {}
  await chain.query(
    `insert into chain_payments (id, network_id, tx_hash, log_index, owner_id, address, token, amount, block_number, mined_at, seen_at)
      values ($1, $2, '0xaa', 0, $3, '0xbb', $4, 500, 100, '2026-01-01', '2026-01-01')`,
    [payment, network, me, token],
  )
  await chain.query(
    `insert into chain_finality (network_id, number, mined_at, said_at, gas_price) values ($1, 99, '2026-01-01', '2026-01-01', 1)`,
    [network],
  )
  const arrive = (amount: string, booked = amount) =>
    post(server, [{ book, from: [network, 'treasury'], to: [me, 'deposit'], amount }], (journal) => [
      [
        'insert into chain_bookings (payment_id, journal_id, book_id, amount) values ($1, $2, $3, $4)',
        [payment, journal, book, booked],
      ],
    ])
  // The payment is not final yet.
  expect(await arrive('500')).toBe('42501')
  await chain.query('update chain_finality set number = 100')
  expect(await arrive('501')).toBe('42501')
  expect(await arrive('501', '500')).toBe('42501')
  expect(await arrive('500')).toBe('posted')
  // Neither a second time, nor after it was marked as undone while it still exists.
  expect(await arrive('500')).toBe('23505')
  await expect(
    server.query('update chain_bookings set undone_by = $2 where payment_id = $1', [payment, randomUUID()]),
  ).rejects.toMatchObject({ code: '42501' })
  await expect(server.query('delete from chain_bookings')).rejects.toMatchObject({ code: '42501' })
  expect(await verifyLedger(owner)).toEqual([])
  await chain.end()
})

test('a live desk pays out a currency only against another, and the operator settles it', async () => {
  const [usd, eur, me] = [await bookOf('live', 'USD'), await bookOf('live', 'EUR'), shop.environmentId]
  await setManualRate(world.pool, 'EUR', 'USD', '1.10', systemClock)
  const convert: Move[] = [
    { book: usd, from: [me, 'merchant'], to: [me, 'exchange'], amount: '1100' },
    { book: eur, from: [me, 'exchange'], to: [me, 'merchant'], amount: '1000' },
  ]
  // As separate statements, the desk would pay before it receives.
  expect(await post(server, convert)).toBe('posted')
  expect(await post(server, convert.toReversed())).toBe('42501')
  const ledger = openLedger({ url: operatorUrl, clock: systemClock, newId: world.newId })
  await settleDesk({ pool: operator, ledger, newId: world.newId }, me, 'live', 'SETTLE-1')
  await ledger.close()
  const { rows } = await owner.query(`select balance from ledger_accounts where owner_id = $1 and kind = 'exchange'`, [
    me,
  ])
  expect(rows).toEqual([{ balance: 0n }, { balance: 0n }])
  expect(await verifyLedger(owner)).toEqual([])
})

test('the audit finds money that the owner of the tables created with triggers disabled', async () => {
  const [book, me] = [await bookOf('live', 'USD'), randomUUID()]
  const setTrigger = (act: 'disable' | 'enable') =>
    owner.query(`alter table ledger_transfers ${act} trigger ledger_transfers_enter`)
  restoreAfterTest(() => setTrigger('enable'))
  await setTrigger('disable')
  expect(await post(owner, [{ book, from: [me, 'treasury'], to: [me, 'wallet'], amount: '777' }])).toBe('posted')
  await setTrigger('enable')
  expect(await verifyLedger(owner)).toEqual([expect.stringContaining(`brings 777 into live book ${book}`)])
})

test('the audit log records requests of a secret key', async () => {
  await world.call('POST', '/merchant-integrations-server/add-new-customer', {
    body: { email: 'a@b.example', name: 'A' },
  })
  // The status is recorded after the response.
  const readLast = async (): Promise<unknown> => {
    const { rows } = await owner.query(
      `select operation, key_id is not null as "hasKey", user_id, status from acts order by id desc limit 1`,
    )
    return rows[0]
  }
  const operation = 'POST /merchant-integrations-server/add-new-customer'
  await expect.poll(readLast).toEqual({ operation, hasKey: true, user_id: null, status: 200 })
})
