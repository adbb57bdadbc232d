// The public key is on the shop's page: its use by visitors must not interfere with the shop.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiWorld } from '../local/test/api-world.ts'
import { type ChainWorld, createChainWorld } from '../local/test/chain-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { addPerson, pin } from '../local/test/visitor.ts'
import { createPool, type Pool } from './base/db.ts'
import { systemClock } from './base/clock.ts'
import { setManualRate } from './catalogue/currency/rates.ts'

const M = '/merchant-integrations'
const S = '/merchant-integrations-server'
let world: ChainWorld
let owner: Pool
beforeAll(async () => {
  world = await createChainWorld()
  owner = createPool(world.ownerUrl, 1)
  await setManualRate(world.pool, 'ETH', 'USD', '2000', world.clock)
  await world.settle()
  await world.settle()
  await world.fund(1_000)
})
afterAll(async () => {
  await owner.end()
  await world.stop()
})

const post = (keys: 'public' | 'both', path: string, body: object) => world.call('POST', path, { keys, body })
const depositBody = (reference_id: string, amount = 25) => ({
  ...{ amount, blockchainNetworkId: world.networkId, currency_abbreviation: 'USD', reference_id },
  pay_with_currency_abbreviation: 'ETH',
})
const claim = (reference: string, amount?: number) =>
  post('public', `${M}/deposit-address-payment-request`, depositBody(reference, amount))
const issue = (referenceId: string) => post('both', `${S}/vouchers`, { amount: 1, currency: 'USD', referenceId })
const reference = (): string => `ORDER-${world.newId()}`

test('the shop can use a reference that a visitor took, and the visitor’s claim is canceled and renamed', async () => {
  const taken = reference()
  const { data } = await claim(taken)
  expect((await issue(taken)).status).toBe(200)
  const { rows } = await owner.query<{ type: string }>('select type from transactions where reference = $1', [taken])
  expect(rows).toEqual([{ type: 'VOUCHER_PURCHASE' }])
  const renamed = await owner.query<{ status: string }>(
    `select t.status from transactions t join deposits d on d.id = t.id where lower(d.address) = lower($1)`,
    [data.address],
  )
  expect(renamed.rows).toEqual([{ status: 'CANCELED' }])
  // The visitor cannot take it back, and a retry by the shop is replayed.
  expect((await claim(taken, 30)).error?.code).toBe('REFERENCE_TAKEN')
  expect((await issue(taken)).status).toBe(200)
})

test('the same request by the shop is a retry of the visitor’s', async () => {
  const taken = reference()
  const first = await claim(taken)
  const second = await post('both', `${M}/deposit-address-payment-request`, depositBody(taken))
  expect(second.data.address).toBe(first.data.address)
})

test('a claim with a payment keeps its reference, and the shop gets 409', async () => {
  const taken = reference()
  const { data } = await claim(taken)
  await world.client.sendTransaction({ to: data.address as `0x${string}`, value: 1_000n })
  await world.settle()
  expect((await issue(taken)).error?.code).toBe('REFERENCE_TAKEN')
  expect(await world.statusOf(taken)).toBe('PROCESSING')
})

test('a visitor gets 409 for a reference of the shop', async () => {
  const taken = reference()
  expect((await issue(taken)).status).toBe(200)
  expect((await claim(taken)).error?.code).toBe('REFERENCE_TAKEN')
})

test('concurrent requests of the shop for one claimed reference make one transaction', async () => {
  const taken = reference()
  await claim(taken)
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => issue(taken)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1)
})

test('payment requests by visitors do not count towards the shop’s limit of three per user', async () => {
  const ada = await addPerson(world, 'test')
  const body = (reference_id: string) => ({
    ...{ amount: 5, currency: 'USD', user_identifier: ada.person.username, reference_id },
  })
  const ask = (keys: 'public' | 'both', name = reference()) => post(keys, `${M}/payment-request`, body(name))
  const mine = reference()
  expect((await ask('public', mine)).status).toBe(200)
  for (let i = 0; i < 2; i++) expect((await ask('public')).status).toBe(200)
  expect((await ask('public')).error?.code).toBe('PAYMENTS_TOO_MANY')
  for (let i = 0; i < 3; i++) expect((await ask('both')).status).toBe(200)
  expect((await ask('both')).error?.code).toBe('PAYMENTS_TOO_MANY')
  // A visitor's request that the user has paid keeps its reference.
  await world.fund(50, { user: ada.person.email })
  type Requests = { data: { requests: { id: string; reference: string }[] } }
  const { requests } = (await ada.get('/wallet/payment-requests')).as<Requests>().data
  const oldest = requests.at(-1)?.id ?? ''
  expect((await ada.post(`/wallet/payment-requests/${oldest}/authorise`, { pin })).status).toBe(200)
  expect((await issue(mine)).error?.code).toBe('REFERENCE_TAKEN')
})

test('a visitor can request a limited number of deposit addresses per hour, and the shop is not limited', async () => {
  const replies = []
  for (let i = 0; i < 61; i++) replies.push(await claim(reference()))
  expect(replies.at(-1)?.error?.code).toBe('RATE_LIMITED')
  expect((await post('both', `${M}/deposit-address-payment-request`, depositBody(reference()))).status).toBe(200)
})

test('requests of visitors with the public key do not count towards the shop’s rate limit', async () => {
  const api = await createApiWorld((await createTestDatabase()).url, systemClock, { KEY_REQUESTS_PER_MINUTE: '200' })
  const ask = (keys: 'public' | 'both') =>
    api.call('GET', `${M}/fetch-supported-cryptonetworks`, { ...(keys === 'public' && { keys }) })
  const statuses = []
  for (let i = 0; i < 21; i++) statuses.push((await ask('public')).status)
  expect(statuses.slice(-2)).toEqual([200, 429])
  expect((await ask('both')).status).toBe(200)
  await api.close()
})
