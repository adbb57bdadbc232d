import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChainWorld, createChainWorld } from '../../../local/test/chain-world.ts'
import type { Reply } from '../../../local/test/reply.ts'
import { saveRule } from '../../catalogue/charge/store.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'

let world: ChainWorld
beforeAll(async () => {
  world = await createChainWorld()
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await saveRule(world.pool, 'test', 'ETH', { fixed: 0n, sharePpm: 10_000n })
  for (let i = 0; i < 2; i++) await world.settle()
})
afterAll(() => world.stop())

type Payout = { status: string; recipient: string; transactionHash: string; transactionUrl: string }
type Held = {
  balance: string
  onchain: { state: string; network: string; vault: string; balance: string } | null
  history: { kind: string; amount: string; payout: Payout | null }[]
}

let networks = 0
const post = <Data>(path: string, body: object, headers: Record<string, string> = {}): Promise<Reply<Data>> =>
  world.call('POST', path, { keys: 'none', body, address: `10.20.${networks++}.1`, headers })
const look = async (code: string): Promise<Held> => (await post<Held>('/holder/voucher', { code })).data
type Quote = Record<'quoteId' | 'amount' | 'gas' | 'fee' | 'taken' | 'left' | 'walletAddress', string>
const quote = (body: object) => post<Quote>('/holder/voucher/quote', body)
const redeem = (body: object, key: string) =>
  post<{ id: string }>('/holder/voucher/redeem', body, { 'idempotency-key': key })

const issue = (terms: object = {}): Promise<string> =>
  world.voucher('0.06', { currency: 'ETH', onchain: true, ...terms })
const settle = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await world.settle()
}
const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const wei = (amount: string): bigint => BigInt(amount.replace('.', ''))

test('a holder sees the voucher being created, then its vault, and cannot redeem it before', async () => {
  const code = await issue()
  expect((await look(code)).onchain).toMatchObject({ state: 'creating', network: 'Local network' })
  expect((await quote({ code, amount: 'max', walletAddress: checksummed })).error?.code).toBe('VOUCHER_PROCESSING')
  await settle()
  expect((await look(code)).onchain).toMatchObject({
    state: 'open',
    vault: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string,
    balance: '0.060000000000000000',
  })
})

test('a quote adds up, its redemption is processing until final, and exactly its amount arrives', async () => {
  const code = await issue()
  await settle()
  const body = { code, amount: '0.02', walletAddress: checksummed }
  const { data } = await quote({ ...body, walletAddress: checksummed.toLowerCase() })
  expect(data).toMatchObject({ walletAddress: checksummed, amount: '0.020000000000000000' })
  expect(wei(data.fee)).toBe(200_000_000_000_000n)
  expect(wei(data.gas)).toBeGreaterThan(0n)
  expect(wei(data.taken)).toBe(wei(data.amount) + wei(data.fee) + wei(data.gas))
  expect(wei(data.left)).toBe(60_000_000_000_000_000n - wei(data.taken))

  const first = await redeem({ ...body, quoteId: data.quoteId }, 'page-1')
  expect(first.status).toBe(200)
  const before = await look(code)
  expect([before.balance, before.history[0]?.payout?.status]).toEqual([data.left, 'PROCESSING'])
  await settle()
  const after = await look(code)
  expect(after.history[0]).toMatchObject({ kind: 'redeemed', payout: { status: 'COMPLETED', recipient: checksummed } })
  expect(after.history[0]?.payout?.transactionUrl).toMatch(/\/tx\/0x[0-9a-f]{64}$/)
  expect(after.onchain?.balance).toBe(data.left)
  expect(await world.client.getBalance({ address: checksummed })).toBe(wei(data.amount))

  const retry = await redeem({ ...body, quoteId: data.quoteId }, 'page-1')
  expect([retry.data.id, retry.headers['idempotent-replayed']]).toEqual([first.data.id, 'true'])
  expect((await look(code)).balance).toBe(data.left)
})

test('everything leaves nothing on the voucher', async () => {
  const code = await issue()
  await settle()
  const body = { code, amount: 'max', walletAddress: '0x00000000000000000000000000000000000abc01' }
  const { data } = await quote(body)
  expect([wei(data.left), wei(data.taken)]).toEqual([0n, 60_000_000_000_000_000n])
  expect((await redeem({ ...body, quoteId: data.quoteId }, 'page-max')).status).toBe(200)
  await settle()
  expect((await look(code)).balance).toBe('0.000000000000000000')
})

test('an address with a wrong checksum is refused, and so is a request without one', async () => {
  const code = await issue()
  await settle()
  const wrong = checksummed.replace('5aA', '5AA')
  expect((await quote({ code, amount: 'max', walletAddress: wrong })).error?.code).toBe('WALLET_ADDRESS_INVALID')
  for (const path of ['quote', 'redeem']) {
    const { status, error } = await post(`/holder/voucher/${path}`, { code, amount: 'max', quoteId: 'x' })
    expect([status, error?.code]).toEqual([400, 'FIELD_INVALID'])
  }
})

test('a quote is for one address, amount and redemption', async () => {
  const code = await issue()
  await settle()
  const body = { code, amount: '0.01', walletAddress: checksummed }
  const { quoteId } = (await quote(body)).data
  const other = { ...body, walletAddress: '0x00000000000000000000000000000000000abc02' }
  expect((await redeem({ ...other, quoteId }, 'page-2')).error?.code).toBe('QUOTE_STALE')
  expect((await redeem({ ...body, amount: '0.02', quoteId }, 'page-3')).error?.code).toBe('QUOTE_STALE')
  expect((await redeem({ ...body, quoteId }, 'page-4')).status).toBe(200)
  await settle()
  expect((await redeem({ ...body, quoteId }, 'page-5')).error?.code).toBe('QUOTE_STALE')
})

test('403: wrong PINs are counted with those of the other endpoints', async () => {
  const code = await issue({ lockPin: '4821' })
  await settle()
  const body = { code, amount: 'max', walletAddress: checksummed }
  expect((await quote(body)).error?.code).toBe('VOUCHER_PIN_MISSING')
  for (let i = 0; i < 3; i++) expect((await quote({ ...body, lockPin: '0000' })).error?.code).toBe('VOUCHER_PIN_WRONG')
  for (let i = 0; i < 2; i++)
    expect((await redeem({ ...body, lockPin: '0000', quoteId: 'x' }, `pin-${i}`)).error?.code).toBe('VOUCHER_PIN_WRONG')
  expect((await post('/holder/voucher', { code, lockPin: '4821' })).error?.code).toBe('VOUCHER_PIN_LOCKED')
})

test('429: unknown codes are counted with those of the other endpoints', async () => {
  const address = '10.21.0.1'
  const at = (path: string, body: object) => world.call('POST', path, { keys: 'none', body, address })
  const code = (i: number) => `GUESS${String(i).padStart(6, '0')}`
  const more = { amount: 'max', walletAddress: checksummed }
  for (let i = 0; i < 50; i++) expect((await at('/holder/voucher/quote', { ...more, code: code(i) })).status).toBe(422)
  for (let i = 50; i < 100; i++)
    expect((await at('/holder/voucher/redeem', { ...more, code: code(i), quoteId: 'x' })).status).toBe(422)
  expect((await at('/holder/voucher', { code: await issue() })).status).toBe(429)
})

test('an offchain voucher is not paid to an address here', async () => {
  const code = await world.voucher(10)
  expect((await quote({ code, amount: 'max', walletAddress: checksummed })).error?.code).toBe('VOUCHER_PAYS_NO_ADDRESS')
  expect(world.logged()).not.toContain(code.replaceAll('-', ''))
})
