import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { openLedger } from '../../ledger/post.ts'
import { fundMerchant } from '../../identity/merchant/fund.ts'
import { findEnvironment } from '../../identity/merchant/store.ts'

type Held = {
  balance: string
  code: string
  usableAt: string[]
  history: { kind: string; amount: string; place: string }[]
}
type Trial = { trial: { confirmation: string } }

const server = '/merchant-integrations-server'
let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  await world.fund(1_000)
})
afterAll(() => world.close())

const make = async (body: object = {}): Promise<string> =>
  (await world.post<{ code: string }>(`${server}/vouchers`, { amount: 100, currency: 'USD', ...body })).data.code
let addresses = 0
const look = (body: object, address = `10.9.${addresses++}.1`) =>
  world.call<Held>('POST', '/holder/voucher', { keys: 'none', body, address })

describe("the holder's view of a voucher", () => {
  test('names the field code if the code is mistyped, too short or of another format', async () => {
    const code = await make()
    for (const typed of [`${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`, '123', 'ABCDEF123'])
      for (const path of ['/holder/voucher', '/holder/voucher/live']) {
        const reply = await world.call('POST', path, { keys: 'none', body: { code: typed }, address: '10.8.1.1' })
        expect([typed, reply.body]).toMatchObject([typed, { error: { code: 'VOUCHER_CODE_MISTYPED', param: 'code' } }])
      }
  })

  test('shows balance, history, validity and merchants for the code alone', async () => {
    const code = await make({ expiresAt: '2031-06-30', onlyAt: ['OURS', 'THEIRS'] })
    await world.redeem({ voucherCode: code, amount: '12.50' })
    const { status, data } = await look({ code: code.toLowerCase() })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      mode: 'test',
      code,
      amount: '100.00',
      balance: '87.50',
      currency: { abbreviation: 'USD' },
      issuer: 'OURS',
      platform: 'Scrip',
      expiresAt: '2031-06-30T23:00:00.000Z',
      lastDay: '2031-06-30',
      isExpired: false,
      hasPin: false,
      usableAt: ['OURS', 'THEIRS'],
    })
    expect(data.history.map(({ kind, amount, place }) => [kind, amount, place])).toEqual([
      ['redeemed', '12.50', 'OURS'],
      ['issued', '100.00', 'OURS'],
    ])
  })

  test('shows nothing of a locked voucher without its PIN, and counts wrong PINs like the API', async () => {
    const code = await make({ lockPin: '4821' })
    const bare = await look({ code })
    expect([bare.status, bare.error?.code]).toEqual([403, 'VOUCHER_PIN_MISSING'])
    // The id of the request is random, and may contain any digits.
    expect(bare.text.replace(String(bare.error?.requestId), '')).not.toContain('100')
    expect((await look({ code, lockPin: '4821' })).data.balance).toBe('100.00')
    for (let i = 0; i < 5; i++) expect((await look({ code, lockPin: '0000' })).error?.code).toBe('VOUCHER_PIN_WRONG')
    expect((await look({ code, lockPin: '4821' })).error?.code).toBe('VOUCHER_PIN_LOCKED')
  })

  test('finds a card of another system by its merchant', async () => {
    const body = { csv: 'code,balance\nCARD-77-0001,9.99\n', currency: 'USD' }
    const { confirmation } = (await world.post<Trial>(`${server}/voucher-imports`, body)).data.trial
    await world.call('POST', '/merchant-integrations-server/voucher-imports', { body: { ...body, confirmation } })
    await world.work()
    expect((await look({ code: 'CARD-77-0001', merchantCode: 'ours' })).data).toMatchObject({
      balance: '9.99',
      usableAt: ['OURS'],
    })
    expect((await look({ code: 'CARD-77-0001' })).error?.code).toBe('VOUCHER_CODE_MISTYPED')
    expect((await look({ code: 'CARD-77-0001', merchantCode: 'THEIRS' })).error?.code).toBe('VOUCHER_CODE_MISTYPED')
  })

  test('shows the live card if the same card also exists in test mode', async () => {
    const csv = ['code,balance', ...Array.from({ length: 10 }, (_, i) => `BOTH-00${i},7`)].join('\n')
    const live = { ...world.ours, publicKey: world.ours.livePublicKey, secretKey: world.ours.liveSecretKey }
    const liveId = await findEnvironment(world.pool, 'OURS', 'live')
    const funding = {
      direction: 'in',
      account: 'balance',
      currency: 'USD',
      amount: '100',
      reference: 'BANK-1',
    } as const
    const ledger = openLedger({
      url: world.pool.options.connectionString ?? '',
      clock: world.tools.clock,
      newId: world.newId,
    })
    await fundMerchant(
      { pool: world.pool, ledger, newId: world.newId },
      { environmentId: liveId ?? '', mode: 'live' },
      funding,
    )
    await ledger.close()
    for (const as of [world.ours, live]) {
      const body = { csv, currency: 'USD' }
      const { confirmation } = (await world.post<Trial>(`${server}/voucher-imports`, body, as)).data.trial
      await world.call('POST', '/merchant-integrations-server/voucher-imports', { body: { ...body, confirmation }, as })
    }
    await world.work()
    for (let i = 0; i < 10; i++)
      expect((await look({ code: `BOTH-00${i}`, merchantCode: 'OURS' })).data).toMatchObject({
        mode: 'live',
        balance: '7.00',
      })
  })

  test('429: guesses here and through the API are counted together, including codes of other systems', async () => {
    const address = '10.200.0.1'
    const guess = (i: number) => `GUESS${String(i).padStart(6, '0')}`
    for (let i = 0; i < 50; i++)
      expect((await look({ code: guess(i), merchantCode: 'OURS' }, address)).status).toBe(422)
    for (let i = 50; i < 100; i++) {
      const body = { voucherCode: guess(i) }
      const reply = await world.call('POST', '/merchant-integrations/verify-voucher', { keys: 'public', body, address })
      expect(reply.status).toBe(422)
    }
    expect((await look({ code: await make() }, address)).status).toBe(429)
  })

  test('logs neither code nor PIN', async () => {
    const code = await make({ lockPin: '9173' })
    await look({ code, lockPin: '9173' })
    await look({ code: `${code.slice(0, -1)}U` })
    expect(world.logged()).not.toMatch(new RegExp(`${code}|${code.replaceAll('-', '')}|"9173"`))
  })
})
