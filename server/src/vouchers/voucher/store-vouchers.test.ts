import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { connect, type Connection } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const PK = '/merchant-integrations'
const SK = '/merchant-integrations-server'
const dayMs = 24 * 60 * 60 * 1_000

type Made = { id: string; code: string; balance: number; voucherType: string }

let world: ApiWorld
let server: Connection
let owner: Connection
// Only moved forward, since ids increase with it.
let aheadMs = 0
const clock = (): Date => new Date(Date.now() + aheadMs)

beforeAll(async () => {
  const database = await createTestDatabase()
  world = await createApiWorld(database.url, clock)
  server = await connect(database.url)
  owner = await connect(database.ownerUrl)
  await world.charge()
  await setManualRate(world.pool, 'USD', 'JPY', '155', clock)
})
afterAll(async () => {
  expect(await verifyLedger(world.pool)).toEqual([])
  await server.end()
  await owner.end()
  await world.close()
})

const make = async (amount: string, terms: object = {}, as?: WorldMerchant): Promise<Made> => {
  const body = { amount, currency: 'USD', voucherType: 'store', ...terms }
  return (await world.post<Made>('/sandbox/vouchers', body, as)).data
}
const redeem = (body: object, more: Parameters<ApiWorld['call']>[2] = {}) =>
  world.call<{ referenceId: string }>('POST', `${PK}/redeem-voucher`, { body, ...more })
const verify = async (voucherCode: string): Promise<Made> =>
  (await world.post<Made>(`${PK}/verify-voucher`, { voucherCode })).data

const refundOf = (referenceId: string): object => ({
  referenceId,
  refundReferenceId: world.newId(),
  reason: 'returned',
})

/** For each shop and book: minus what the shop owes, and what its vouchers have. */
const listFloats = async (): Promise<{ float: bigint; vouchers: bigint }[]> => {
  const { rows } = await owner.query<{ float: bigint; vouchers: bigint }>(`
    select f.balance as float, coalesce((select sum(a.balance) from vouchers v join ledger_accounts a on a.owner_id = v.id
      and a.kind = 'store_voucher' and a.book_id = f.book_id where v.environment_id = f.owner_id), 0)::numeric as vouchers
    from ledger_accounts f where f.kind = 'store_float'`)
  return rows
}
const expectFloatsToMatch = async (): Promise<void> => {
  for (const { float, vouchers } of await listFloats()) expect(float + vouchers).toBe(0n)
}

test('a store voucher is redeemed at its shop in parts, without a fee, and the balance of the shop stays as it is', async () => {
  const { code, voucherType } = await make('20.00')
  expect(voucherType).toBe('store')
  const before = await world.balance()
  expect((await redeem({ voucherCode: code, amount: '7.50' })).status).toBe(200)
  expect((await verify(code)).balance).toBe(12.5)
  expect((await redeem({ voucherCode: code, amount: 'max' })).status).toBe(200)
  expect((await verify(code)).balance).toBe(0)
  expect(await world.balance()).toBe(before)
  await expectFloatsToMatch()
})

test('no other merchant can redeem a store voucher, or learns that it exists', async () => {
  const { code } = await make('5.00')
  const open = await redeem({ voucherCode: code, amount: 1 }, { as: world.theirs })
  expect([open.status, open.error?.code]).toEqual([404, 'VOUCHER_NOT_FOUND'])
  const hidden = await redeem({ voucherCode: code, amount: 1 }, { as: world.theirs, keys: 'public' })
  expect([hidden.status, hidden.error?.code]).toEqual([404, 'VOUCHER_NOT_FOUND'])
})

test.each([
  [{ toCurrencyAbbreviation: 'JPY' }, 'STORE_VOUCHER_NOT_CONVERTED'],
  [
    { walletAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', toCurrencyAbbreviation: 'USD' },
    'STORE_VOUCHER_PAYS_NO_ADDRESS',
  ],
])('a store voucher is not redeemed with %j', async (terms, code) => {
  const made = await make('5.00')
  const body = { voucherCode: made.code, amount: 1, ...terms }
  const refused = await redeem(body)
  expect([refused.status, refused.error?.code]).toEqual([422, code])
  const quote = await world.call('POST', `${PK}/fetch-voucher-redemption-charges`, { body })
  expect(quote.error?.code).toBe(code)
  expect((await verify(made.code)).balance).toBe(5)
})

test('a store voucher is not onchain', async () => {
  const body = { amount: 5, currency: 'USD', voucherType: 'store', onchain: true }
  const refused = await world.call('POST', '/sandbox/vouchers', { body })
  expect([refused.status, refused.error?.code]).toEqual([422, 'STORE_VOUCHER_TERMS'])
})

test('a refund goes back onto the store voucher, also if the shop has no balance', async () => {
  const { code } = await make('9.00', {}, world.theirs)
  const as = world.theirs
  const { data } = await redeem({ voucherCode: code, amount: 9 }, { as })
  const refund = await world.call('POST', `${SK}/refund`, { body: { ...refundOf(data.referenceId), amount: 4 }, as })
  expect(refund.status).toBe(200)
  const { data: seen } = await world.call<Made>('POST', `${PK}/verify-voucher`, { body: { voucherCode: code }, as })
  expect(seen.balance).toBe(4)
  await expectFloatsToMatch()
})

test('a hold on a store voucher is captured into the float of the shop, and not in another currency', async () => {
  const { code } = await make('10.00')
  const before = await world.balance()
  const { data: hold } = await world.post<{ id: string }>(`${PK}/voucher-holds`, { voucherCode: code, amount: 8 })
  const capture = (body: object) => world.post(`${SK}/voucher-holds/${hold.id}/capture`, body)
  const converted = await capture({ amount: 3, toCurrencyAbbreviation: 'JPY' })
  expect([converted.status, converted.error?.code]).toEqual([422, 'STORE_VOUCHER_NOT_CONVERTED'])
  expect((await capture({ amount: 3 })).status).toBe(200)
  expect((await capture({ amount: 2, final: true })).status).toBe(200)
  expect((await verify(code)).balance).toBe(5)
  expect(await world.balance()).toBe(before)
  await expectFloatsToMatch()
})

test('what expires on a store voucher is no longer owed, and reopening owes it again', async () => {
  const { id, code } = await make('6.00')
  await owner.query(`update vouchers set expires_at = $2 where id = $1`, [id, new Date(clock().getTime() + dayMs)])
  const owed = async (): Promise<bigint> => (await listFloats()).reduce((sum, { float }) => sum - float, 0n)
  const before = await owed()
  aheadMs += 2 * dayMs
  await world.work()
  expect(await owed()).toBe(before - 600n)
  expect((await world.post(`${SK}/vouchers/${id}/reopen`, {})).status).toBe(200)
  expect(await owed()).toBe(before)
  expect((await verify(code)).balance).toBe(6)
})

test('a replacement of a store voucher has its value and is a store voucher', async () => {
  const { id, code } = await make('8.00')
  const { data } = await world.post<Made>(`${SK}/vouchers/${id}/replace`, {})
  expect(data).toMatchObject({ balance: 8, voucherType: 'store' })
  expect((await redeem({ voucherCode: code, amount: 1 })).error?.code).toBe('VOUCHER_CANCELLED')
  expect((await redeem({ voucherCode: data.code, amount: 8 })).status).toBe(200)
  await expectFloatsToMatch()
})

// Direct SQL ---------------------------------------------------------------------------------------------------

type Side = { readonly kind: string; readonly owner: string }

/** A journal with one transfer, whose accounts are opened, as an attacker would write it by hand. */
const transfer = (from: Side, to: Side): string => {
  const journal = world.newId()
  const book = `(select id from ledger_books where mode = 'test' and currency = 'USD')`
  const open = ({ kind, owner: of }: Side): string => `
    insert into ledger_accounts (book_id, owner_id, kind, may_go_negative)
      values (${book}, '${of}', '${kind}', ${['store_float', 'treasury'].includes(kind)}) on conflict do nothing;`
  return `${open(from)} ${open(to)}
    insert into ledger_journals values ('${journal}', '${world.newId()}', '${world.newId()}', 'test.attack', 0, '2026-01-01');
    insert into ledger_transfers values
      ('${journal}', 0, ${book}, '${from.kind}', '${to.kind}', '${from.owner}', '${to.owner}', 1)`
}

test('SQL cannot mix store value with platform money or with another shop, as the server or as the owner', async () => {
  const [ours, theirs] = [await make('5.00'), await make('5.00', {}, world.theirs)]
  const platform = (await world.post<Made>('/sandbox/vouchers', { amount: 5, currency: 'USD' })).data
  const side = (kind: string, of: string): Side => ({ kind, owner: of })
  const shop = world.ours.environmentId
  const [float, card] = [side('store_float', shop), side('store_voucher', ours.id)]
  const platformSides = [
    side('voucher', platform.id),
    side('merchant', shop),
    side('merchant_admin', shop),
    side('treasury', shop),
    side('wallet', world.newId()),
    side('fee', shop),
    side('unclaimed', shop),
    // An account of a store kind that belongs to no store voucher.
    side('store_voucher', platform.id),
    side('store_voucher', world.newId()),
    side('store_float', world.theirs.environmentId),
    side('store_voucher', theirs.id),
  ]
  let refused = 0
  for (const other of platformSides)
    for (const own of [float, card])
      for (const [from, to] of [
        [own, other],
        [other, own],
      ] as const)
        for (const connection of [server, owner]) {
          await connection.query('begin')
          await expect(connection.query(transfer(from, to)), `${from.kind} to ${to.kind}`).rejects.toThrow(
            /store value/,
          )
          await connection.query('rollback')
          refused++
        }
  expect(refused).toBe(platformSides.length * 8)
  // The same way of writing, where it is allowed.
  await server.query('begin')
  await server.query(transfer(float, card))
  await server.query('rollback')
})

test('SQL cannot give a voucher to another shop or make it one of the other kind, as the server or as the owner', async () => {
  const { id } = await make('5.00')
  const changes = [
    'is_store = false',
    `environment_id = '${world.theirs.environmentId}'`,
    `id = '${world.newId()}'`,
    'book_id = book_id',
  ]
  for (const set of changes) {
    await expect(server.query(`update vouchers set ${set} where id = '${id}'`), set).rejects.toThrow(
      /permission denied/,
    )
    await expect(owner.query(`update vouchers set ${set} where id = '${id}'`), set).rejects.toThrow(/never changes/)
  }
})
