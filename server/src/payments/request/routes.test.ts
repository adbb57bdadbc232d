import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { settleEvents } from '../../../local/test/settle-events.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, pin, type Visitor } from '../../../local/test/visitor.ts'
import { systemClock } from '../../base/clock.ts'
import { createPool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { verifyLedger } from '../../ledger/verify.ts'

let world: ApiWorld
let ownerUrl: string
let now = Date.now()
beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  world = await createApiWorld(database.url, () => new Date(now))
  await setRate('1.0835')
})
afterAll(() => world.close())

const setRate = (rate: string) => setManualRate(world.pool, 'EUR', 'USD', rate, systemClock)
type Person = Awaited<ReturnType<typeof addPerson>>
const server = '/merchant-integrations-server'
async function ask(person: Person, more: Record<string, unknown> = {}, keys: 'public' | 'both' = 'public') {
  const reference = world.newId()
  const body = { amount: 2.5, currency: 'USD', user_identifier: person.person.email, reference_id: reference, ...more }
  const reply = await world.call('POST', '/merchant-integrations/payment-request', { keys, body })
  return { reference, ...reply }
}
type Listed = { data: { requests: { id: string; merchant: string; amount: string; note: string }[] } }
const openOf = async (person: Pick<Visitor, 'get'>) =>
  (await person.get('/wallet/payment-requests')).as<Listed>().data.requests
const idOf = async (person: Person): Promise<string> => (await openOf(person))[0]?.id ?? ''

test('a user sees merchant, amount and note of a request and authorises it with the PIN, once', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { user: ada.person.email })
  const before = await world.balance()
  const { reference } = await ask(ada, { metadata: { order: 'A-1', note: 'Two coffees' } })
  expect(await world.statusOf(reference)).toBe('PENDING')
  expect(await openOf(ada)).toMatchObject([{ merchant: 'OURS', amount: '2.50', currency: 'USD', note: 'Two coffees' }])
  const id = await idOf(ada)
  const path = `/wallet/payment-requests/${id}/authorise`
  expect((await ada.post(path, {})).json().error?.code).toBe('CONFIRMATION_MISSING')
  expect((await ada.post(path, { pin: '111111' })).json().error?.code).toBe('PIN_WRONG')
  expect((await ada.post(path, { pin })).status).toBe(200)
  const again = await ada.post(path, { pin })
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true'])
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect((await world.balance()) - before).toBeCloseTo(2.5, 9)
  const { body } = await world.get(`${server}/verify-transaction/${reference}`)
  expect(body).toMatchObject({
    data: { userId: ada.person.id, type: 'PAYMENT_REQUEST', metaData: '{"order":"A-1","note":"Two coffees"}' },
  })
})

test('a payment requested without metadata has an empty metaData, as every other transaction', async () => {
  const { reference } = await ask(await addPerson(world, 'test'))
  const { body } = await world.get(`${server}/verify-transaction/${reference}`)
  expect(body).toMatchObject({ data: { metaData: '' } })
})

test('a payment from another currency takes the quoted amount and delivers the requested amount', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { user: ada.person.email, currency: 'EUR' })
  await ask(ada)
  const id = await idOf(ada)
  type Shown = { data: { from: { from: string; pays: string; isEnough: boolean; quoteId: string }[] } }
  const [euros] = (await ada.get(`/wallet/payment-requests/${id}`)).as<Shown>().data.from
  // 2.50 ÷ (1.0835 × 0.995) is 2.3189…, and the payer's amount rounds up.
  expect(euros).toMatchObject({ from: 'EUR', pays: '2.32', isEnough: true, available: '10.00', remains: '7.68' })
  restoreAfterTest(() => setRate('1.0835'))
  await setRate('9')
  const before = await world.balance()
  const paid = await ada.post(`/wallet/payment-requests/${id}/authorise`, { quoteId: euros?.quoteId, pin })
  expect(paid.status).toBe(200)
  expect((await world.balance()) - before).toBeCloseTo(2.5, 9)
  expect((await ada.get('/wallet')).json().data.balances).toMatchObject([{ currency: 'EUR', available: '7.68' }])
})

test('refunds return to the wallet in the paid currency, and the parts add up exactly', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { user: ada.person.email, currency: 'EUR' })
  const { reference } = await ask(ada)
  const id = await idOf(ada)
  type Shown = { data: { from: { quoteId: string }[] } }
  const [euros] = (await ada.get(`/wallet/payment-requests/${id}`)).as<Shown>().data.from
  await ada.post(`/wallet/payment-requests/${id}/authorise`, { quoteId: euros?.quoteId, pin })
  for (const amount of [0.83, 0.83, 0.84]) {
    const refund = await world.call('POST', `${server}/refund`, {
      body: { referenceId: reference, amount, refundReferenceId: world.newId() },
    })
    expect([refund.status, refund.text.slice(0, 200)]).toMatchObject([200, expect.any(String)])
  }
  expect(await world.statusOf(reference)).toBe('REFUNDED')
  expect((await ada.get('/wallet')).json().data.balances).toMatchObject([{ currency: 'EUR', available: '10.00' }])
  const more = await world.call('POST', `${server}/refund`, {
    body: { referenceId: reference, amount: 0.01, refundReferenceId: 'more' },
  })
  expect(more.status).toBe(422)
})

test('a declined request is FAILED, a withdrawn or expired one CANCELED, and none can be paid afterwards', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { user: ada.person.email })
  const ended: [string, () => Promise<unknown>][] = []
  const declined = await ask(ada)
  const declinedId = await idOf(ada)
  await ada.post(`/wallet/payment-requests/${declinedId}/decline`)
  ended.push([declinedId, () => world.statusOf(declined.reference)])
  const withdrawn = await ask(ada)
  const withdrawnId = await idOf(ada)
  const cancel = () => world.call('POST', `${server}/payment-requests/${withdrawn.reference}/cancel`, { body: {} })
  expect((await cancel()).status).toBe(200)
  expect((await cancel()).status).toBe(200)
  ended.push([withdrawnId, () => world.statusOf(withdrawn.reference)])
  const late = await ask(ada)
  const lateId = await idOf(ada)
  now += 15 * 60_000
  expect(await openOf(ada)).toEqual([])
  const tooLate = await ada.post(`/wallet/payment-requests/${lateId}/authorise`, { pin })
  expect(tooLate.json().error?.code).toBe('PAYMENT_ENDED')
  await world.work()
  ended.push([lateId, () => world.statusOf(late.reference)])
  expect(await Promise.all(ended.map(([, status]) => status()))).toEqual(['FAILED', 'CANCELED', 'CANCELED'])
  const unpaid = (await ada.get('/wallet/payment-requests/unpaid')).as<{ data: { requests: { ending: string }[] } }>()
  expect(unpaid.data.requests.map(({ ending }) => ending)).toEqual(['expired', 'withdrawn', 'declined'])
  for (const [id] of ended)
    for (const act of ['authorise', 'decline'])
      expect((await ada.post(`/wallet/payment-requests/${id}/${act}`, act === 'authorise' ? { pin } : {})).status).toBe(
        409,
      )
  expect((await ada.get('/wallet')).json().data.balances).toMatchObject([{ available: '10.00' }])
})

test('the merchant gets an event for every end of a request', async () => {
  await settleEvents(world.pool)
  const types = (await world.get<{ events: { type: string }[] }>('/events?limit=100')).data.events.map(
    ({ type }) => type,
  )
  for (const type of ['payment.completed', 'payment.declined', 'payment.canceled']) expect(types).toContain(type)
})

test('a merchant has at most three open requests to a user, also with concurrent requests', async () => {
  const ada = await addPerson(world, 'test')
  const replies = await Promise.all(Array.from({ length: 12 }, () => ask(ada)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(replies.filter(({ status, error }) => status === 409 && error?.code === 'PAYMENTS_TOO_MANY')).toHaveLength(9)
})

test('a retry succeeds, and another request or another kind of transaction with that reference is refused with 409', async () => {
  const ada = await addPerson(world, 'test')
  const reference_id = world.newId()
  const first = await ask(ada, { reference_id })
  const again = await ask(ada, { reference_id, amount: '2.50' })
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true'])
  expect((await ask(ada, { reference_id, amount: 3 })).error?.code).toBe('REFERENCE_TAKEN')
  const code = await world.voucher(5)
  const redeem = { voucherCode: code, amount: 1, referenceId: reference_id }
  const redeemed = await world.call('POST', '/merchant-integrations/redeem-voucher', { keys: 'public', body: redeem })
  expect(redeemed.status).toBe(409)
  expect(await openOf(ada)).toHaveLength(1)
})

test('a merchant gets 404 for users who blocked it or are not discoverable', async () => {
  const ada = await addPerson(world, 'test')
  const confirm = () => world.call('GET', `/merchant-integrations/confirm-user/${ada.person.username}`)
  expect((await confirm()).status).toBe(200)
  await ask(ada)
  await ada.post(`/wallet/payment-requests/${await idOf(ada)}/decline`, { block: true })
  const nobody = await world.call('GET', '/merchant-integrations/confirm-user/nobody_at_all')
  const plain = (text: string): string => text.replace(/"requestId":"[^"]+"/, '')
  expect(plain((await confirm()).text)).toBe(plain(nobody.text))
  expect((await ask(ada)).status).toBe(404)
  const theirs = await world.call('GET', `/merchant-integrations/confirm-user/${ada.person.username}`, {
    as: world.theirs,
  })
  expect(theirs.status).toBe(200)
  const { blocked } = (await ada.get('/wallet/blocks')).json().data as {
    blocked: { merchantId: string; name: string }[]
  }
  expect(blocked).toMatchObject([{ name: 'OURS' }])
  await ada.ask('DELETE', `/wallet/blocks/${blocked[0]?.merchantId}`)
  expect((await confirm()).status).toBe(200)
  await ada.post('/me', { isDiscoverable: false })
  expect((await confirm()).status).toBe(404)
})

test('confirm-user shows the identifier that the caller sent and masks the rest, and a live key finds no test user', async () => {
  const ada = await addPerson(world, 'test', { phone: '+2348012340001' })
  const confirm = async (identifier: string, keys: 'public' | 'both' = 'public') => {
    const path = `/merchant-integrations/confirm-user/${encodeURIComponent(identifier)}`
    return (JSON.parse((await world.call('GET', path, { keys })).text) as { data: object }).data
  }
  const { email, username } = ada.person
  expect(await confirm(username ?? '')).toEqual({
    fullName: 'Ada Obi',
    email: 'p***@e***.com',
    phone: '+234********01',
    avatar: '',
  })
  expect(await confirm(email.toUpperCase())).toMatchObject({ email, phone: '+234********01' })
  expect(await confirm('+234 801 234 0001')).toMatchObject({ email: 'p***@e***.com', phone: '+2348012340001' })
  expect(await confirm(username ?? '', 'both')).toMatchObject({ email, phone: '+2348012340001' })
  const live = { ...world.ours, publicKey: world.ours.livePublicKey, secretKey: world.ours.liveSecretKey }
  const path = `/merchant-integrations/confirm-user/${encodeURIComponent(email)}`
  expect((await world.call('GET', path, { as: live })).status).toBe(404)
  expect(world.logged()).not.toContain(email)
  expect(world.logged()).not.toContain('8012340001')
})

test('a public key can look up a limited number of identifiers per day and address, existing or not', async () => {
  const path = (name: string) => `/merchant-integrations/confirm-user/${name}`
  const at = { keys: 'public', address: '203.0.113.9', as: world.theirs } as const
  const statuses = new Map<number, number>()
  for (let i = 0; i < 210; i++) {
    const { status } = await world.call('GET', path(`guess_${i}`), at)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect(Object.fromEntries(statuses)).toEqual({ 404: 200, 429: 10 })
  // The same lookup is refused again.
  expect((await world.call('GET', path('guess_209'), at)).status).toBe(429)
  // Earlier identifiers can be looked up again, and other addresses are not limited.
  expect((await world.call('GET', path('guess_1'), at)).status).toBe(404)
  expect((await world.call('GET', path('other'), { ...at, address: '203.0.113.10' })).status).toBe(404)
})

test('metadata above three levels or 4 kB is refused with 422', async () => {
  const ada = await addPerson(world, 'test')
  expect((await ask(ada, { metadata: { a: { b: { c: { d: 1 } } } } })).error?.code).toBe('METADATA_TOO_DEEP')
  expect((await ask(ada, { metadata: { a: 'x'.repeat(5_000) } })).error?.code).toBe('METADATA_TOO_DEEP')
  expect((await ask(ada, { metadata: { a: { b: { c: 1 } } } })).status).toBe(200)
})

test('a user can answer only their own requests', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await ask(ada)
  const id = await idOf(ada)
  expect((await ben.get(`/wallet/payment-requests/${id}`)).status).toBe(404)
  expect((await ben.post(`/wallet/payment-requests/${id}/authorise`, { pin })).status).toBe(404)
  expect((await ben.post(`/wallet/payment-requests/${id}/decline`)).status).toBe(404)
})

test('the sandbox authorises and declines for a user, with test keys only', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { user: ada.person.email })
  const [one, two] = [await ask(ada), await ask(ada)]
  const path = (reference: string, act: string) => `/sandbox/payment-requests/${reference}/${act}`
  expect((await world.call('POST', path(one.reference, 'authorise'), { as: world.theirs })).status).toBe(404)
  expect((await world.call('POST', path(one.reference, 'authorise'))).status).toBe(200)
  expect((await world.call('POST', path(two.reference, 'decline'))).status).toBe(200)
  expect([await world.statusOf(one.reference), await world.statusOf(two.reference)]).toEqual(['COMPLETED', 'FAILED'])
})

test('the books balance', async () => {
  const owner = createPool(ownerUrl, 1)
  expect(await verifyLedger(owner)).toEqual([])
  await owner.end()
})
