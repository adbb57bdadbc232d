import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { restoreAfterTest } from '../../../local/test/restore.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin } from '../../../local/test/visitor.ts'
import { createPool } from '../../base/db.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { setNetworkActive } from '../../catalogue/currency/store.ts'
import { fundMerchant } from '../../identity/merchant/fund.ts'
import { openLedger } from '../../ledger/post.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { blockMerchant } from '../request/store.ts'

let world: ApiWorld
let ownerUrl: string
let operatorUrl: string
let owner: Awaited<ReturnType<typeof addMember>>
let now = Date.now()
const clock = () => new Date(now)
beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  operatorUrl = database.operatorUrl
  world = await createApiWorld(database.url, clock)
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
  await setNetworkActive(world.pool, 'LOCAL', true)
  owner = await addMember(world, world.ours, 'owner')
})
afterAll(() => world.close())

const server = '/merchant-integrations-server'
const pay = (
  person: { person: { username?: string | undefined } },
  more: Record<string, unknown> = {},
  as = world.ours,
) => {
  const reference = typeof more.referenceId === 'string' ? more.referenceId : world.newId()
  const body = {
    amount: 1.25,
    fromCurrencyAbbreviation: 'USD',
    toCurrencyAbbreviation: 'USD',
    platformUsernameOrEmail: person.person.username,
    referenceId: reference,
    ...more,
  }
  return world.call('POST', `${server}/payout`, { body, as }).then((reply) => ({ ...reply, reference }))
}
/** Starts a new day for limits, with a current rate. */
const nextDay = async (): Promise<void> => {
  now += 25 * 3_600_000
  await setManualRate(world.pool, 'EUR', 'USD', '1.0835', clock)
}
const noLimits = { daily: 'none', approvalAbove: 'none', newRecipientHours: 0 } as const
/** Sets limits of the shop, until the end of the test. */
const limit = async (limits: Partial<Record<keyof typeof noLimits, number | 'none'>>): Promise<void> => {
  const set = (to: object) => owner.post('/merchant/payout-limits', { currency: 'USD', ...to, pin })
  restoreAfterTest(() => set(noLimits))
  expect((await set(limits)).status).toBe(200)
}
const walletOf = async (person: Awaited<ReturnType<typeof addPerson>>) =>
  (await person.get('/wallet')).json().data.balances

test('20 concurrent requests with one reference make one payout, and 19 are marked as replayed', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10)
  const before = await world.balance()
  const referenceId = world.newId()
  const replies = await Promise.all(Array.from({ length: 20 }, () => pay(ada, { referenceId })))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19)
  expect(before - (await world.balance())).toBeCloseTo(1.25, 9)
  expect(await walletOf(ada)).toMatchObject([{ currency: 'USD', available: '1.25' }])
  expect((await pay(ada, { referenceId, amount: 2 })).error?.code).toBe('REFERENCE_TAKEN')
})

test('a converted payout gives the recipient the amount minus the spread, rounded down', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10, { currency: 'EUR' })
  await pay(ada, { amount: 1.11, fromCurrencyAbbreviation: 'EUR' })
  // 1.11 × 1.0835 × 0.995 is 1.196….
  expect(await walletOf(ada)).toMatchObject([{ currency: 'USD', available: '1.19' }])
})

test('a payout that cannot be made is refused with 402, 404 or 422', async () => {
  const ada = await addPerson(world, 'test')
  expect([(await pay(ada, { amount: 900_000 })).status]).toEqual([402])
  expect((await pay({ person: { username: 'nobody_at_all' } })).status).toBe(404)
  expect((await pay(ada, { blockchainNetworkAbbreviation: 'NOPE' })).error?.code).toBe('PAYOUT_NETWORK_UNKNOWN')
  expect((await pay(ada, { blockchainNetworkAbbreviation: 'local' })).status).toBe(200)
  expect((await pay(ada, {}, world.theirs)).status).toBe(402)
})

test('the daily limit holds for 100 concurrent payouts and frees up 25 hours later', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(1_000)
  await nextDay()
  // Euros count, too: 1.11 × 1.0835 rounds up to 1.21.
  await world.fund(10, { currency: 'EUR' })
  expect((await pay(ben, { amount: 1.11, fromCurrencyAbbreviation: 'EUR' })).status).toBe(200)
  const spent = 1.21
  const cap = { currency: 'USD', daily: spent + 10, pin }
  const key = { authorization: `Bearer ${world.ours.publicKey}`, 'x-api-private-key': world.ours.secretKey }
  expect((await world.call('POST', '/merchant/payout-limits', { body: cap, headers: key })).status).toBe(400)
  expect((await owner.post('/merchant/payout-limits', { ...cap, pin: undefined })).status).toBe(403)
  await limit({ daily: spent + 10 })
  const replies = await Promise.all(Array.from({ length: 100 }, () => pay(ada, { amount: 1 })))
  const paid = replies.filter(({ status }) => status === 200).length
  expect(replies.filter(({ error }) => error?.code === 'OUTFLOW_ABOVE_DAILY')).toHaveLength(100 - paid)
  expect(await walletOf(ada)).toMatchObject([{ available: `${paid}.00` }])
  expect(paid).toBe(10)
  await nextDay()
  expect((await pay(ada, { amount: 5 })).status).toBe(200)
})

test('above the threshold a payout waits with its amount held for someone other than the requester', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(100)
  await limit({ approvalAbove: 20 })
  const [clerk, other] = [
    await addMember(world, world.ours, 'accountant'),
    await addMember(world, world.ours, 'accountant'),
  ]
  const before = await world.balance()
  const reference = world.newId()
  const ask = {
    amount: 50,
    fromCurrencyAbbreviation: 'USD',
    toCurrencyAbbreviation: 'USD',
    platformUsernameOrEmail: ada.person.username,
    referenceId: reference,
  }
  expect((await clerk.post(`${server}/payout`, ask)).json().error?.code).toBe('CONFIRMATION_MISSING')
  const waiting = await clerk.post(`${server}/payout`, { ...ask, pin })
  expect(waiting.json()).toMatchObject({ code: 200, status: 'PENDING', data: { status: 'PENDING', amount: 50 } })
  expect(await world.statusOf(reference)).toBe('PENDING')
  expect(before - (await world.balance())).toBeCloseTo(50, 9)
  expect((await other.get('/merchant/outflows')).json().data.outflows).toMatchObject([
    { reference, kind: 'payout', recipient: 'Ada Obi', amount: '50.00', needsApproval: true, approvals: 0 },
  ])
  const approve = (who: typeof clerk, more: object = { pin }) =>
    who.post(`/merchant/payouts/${reference}/approve`, more)
  expect((await approve(clerk)).json().error?.code).toBe('OUTFLOW_SAME_PERSON')
  expect((await approve(other, {})).json().error?.code).toBe('CONFIRMATION_MISSING')
  const replies = await Promise.all([approve(other), approve(owner), approve(other)])
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await world.statusOf(reference)).toBe('COMPLETED')
  expect(await walletOf(ada)).toMatchObject([{ available: '50.00' }])
  expect(before - (await world.balance())).toBeCloseTo(50, 9)
})

test('a payout that is canceled or not approved within a week releases its amount', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(100)
  await limit({ approvalAbove: 20 })
  const before = await world.balance()
  const [one, two] = [await pay(ada, { amount: 30 }), await pay(ada, { amount: 30 })]
  expect((await world.call('POST', `${server}/payouts/${one.reference}/cancel`, { as: world.theirs })).status).toBe(404)
  expect((await world.call('POST', `${server}/payouts/${one.reference}/cancel`)).status).toBe(200)
  expect(before - (await world.balance())).toBeCloseTo(30, 9)
  now += 7 * 24 * 3_600_000
  await world.work()
  expect([await world.statusOf(one.reference), await world.statusOf(two.reference)]).toEqual(['CANCELED', 'CANCELED'])
  expect(await world.balance()).toBeCloseTo(before, 9)
  const late = await owner.post(`/merchant/payouts/${two.reference}/approve`, { pin })
  expect(late.json().error?.code).toBe('OUTFLOW_ENDED')
})

test('the first payout to a new recipient waits for the hours that the owner set, the next does not', async () => {
  await limit({ newRecipientHours: 24 })
  const ada = await addPerson(world, 'test')
  await world.fund(100)
  const first = await pay(ada)
  const notBefore = new Date(now + 24 * 3_600_000).toISOString()
  expect(first.body).toMatchObject({
    status: 'APPROVED',
    message: `The recipient is new: it is sent at ${notBefore}. Its amount is held.`,
    data: { status: 'APPROVED', notBefore },
  })
  expect((await pay(ada, { referenceId: first.reference })).text).toBe(first.text)
  expect(await world.statusOf(first.reference)).toBe('APPROVED')
  now += 23 * 3_600_000
  await world.work()
  expect(await world.statusOf(first.reference)).toBe('APPROVED')
  now += 3_600_000
  await world.work()
  expect(await world.statusOf(first.reference)).toBe('COMPLETED')
  const second = await pay(ada)
  expect(await world.statusOf(second.reference)).toBe('COMPLETED')
})

test('a payout above the threshold to a new recipient is PENDING, then APPROVED with the time of its sending', async () => {
  await limit({ newRecipientHours: 24, approvalAbove: 0 })
  const [ada, clerk] = [await addPerson(world, 'test'), await addMember(world, world.ours, 'accountant')]
  await world.fund(100)
  const first = await pay(ada)
  expect(first.body).toMatchObject({ status: 'PENDING', data: { status: 'PENDING' } })
  expect(await world.statusOf(first.reference)).toBe('PENDING')
  for (const who of [clerk, owner]) await who.post(`/merchant/payouts/${first.reference}/approve`, { pin })
  const again = await pay(ada, { referenceId: first.reference })
  expect(again.body).toMatchObject({ status: 'APPROVED', data: { status: 'APPROVED' } })
  expect(await world.statusOf(first.reference)).toBe('APPROVED')
  await world.call('POST', `${server}/payouts/${first.reference}/cancel`)
})

test('a payout without a rate is refused; one that loses its rate while waiting does not delay others', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(100)
  expect((await pay(ada, { toCurrencyAbbreviation: 'GBP' })).status).toBe(503)
  await limit({ newRecipientHours: 24 })
  await setManualRate(world.pool, 'USD', 'GBP', '0.8', clock)
  const stuck = await pay(ada, { toCurrencyAbbreviation: 'GBP' })
  const good = await pay(ben)
  now += 25 * 3_600_000
  await world.work().catch(() => undefined)
  expect([await world.statusOf(stuck.reference), await world.statusOf(good.reference)]).toEqual([
    'APPROVED',
    'COMPLETED',
  ])
})

test('a user who is not discoverable can be paid by merchants that paid them before, and is 404 for others', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10)
  await world.fund(10, { as: world.theirs })
  expect((await pay(ada)).status).toBe(200)
  await ada.post('/me', { isDiscoverable: false, phone: '+2348055555555' })
  expect((await pay(ada)).status).toBe(200)
  expect((await pay(ada, {}, world.theirs)).status).toBe(404)
  expect((await pay(ada, { platformUsernameOrEmail: '+2348055555555' })).status).toBe(404)
})

test('a payout by phone number finds whom confirm-user finds, and waits as for a new recipient each time', async () => {
  await limit({ newRecipientHours: 24 })
  const [ada, phone] = [await addPerson(world, 'test'), '+2348066666666']
  await world.fund(100)
  await ada.post('/me', { phone })
  const confirm = (as = world.ours) => world.call('GET', `/merchant-integrations/confirm-user/${phone}`, { as })
  const byPhone = (as = world.ours) => pay(ada, { platformUsernameOrEmail: '+234 806 666 6666' }, as)
  expect((await confirm()).status).toBe(200)
  for (let i = 0; i < 2; i++) {
    const waiting = await byPhone()
    expect(waiting.body).toMatchObject({ status: 'APPROVED', data: { status: 'APPROVED' } })
    now += 25 * 3_600_000
    // The payout of the test above still has no rate.
    await world.work().catch(() => undefined)
    expect(await world.statusOf(waiting.reference)).toBe('COMPLETED')
  }
  expect(await walletOf(ada)).toMatchObject([{ available: '2.50' }])
  // By username the recipient is known by now.
  expect((await pay(ada)).body).toMatchObject({ status: 'success', data: { status: 'COMPLETED' } })
  await ada.post('/me', { isDiscoverable: false })
  expect([(await confirm()).status, (await byPhone()).status]).toEqual([404, 404])
  await ada.post('/me', { isDiscoverable: true })
  await blockMerchant(world.pool, ada.person.id, world.ours.merchantId, clock())
  expect([(await confirm()).status, (await byPhone()).status]).toEqual([404, 404])
  expect((await byPhone()).error?.code).toBe('USER_NOT_FOUND')
})

test('limits that a request leaves out stay, and a threshold of zero makes every payout wait', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10)
  await limit({ daily: 5_000, approvalAbove: 0 })
  await limit({ newRecipientHours: 0 })
  const waiting = await pay(ada, { amount: 0.5 })
  expect(await world.statusOf(waiting.reference)).toBe('PENDING')
  await world.call('POST', `${server}/payouts/${waiting.reference}/cancel`)
  await limit({ approvalAbove: 'none', daily: 'none' })
  expect(await world.statusOf((await pay(ada, { amount: 0.5 })).reference)).toBe('COMPLETED')
})

test('in live mode a payout to a new recipient waits by default', async () => {
  const live = { ...world.ours, publicKey: world.ours.livePublicKey, secretKey: world.ours.liveSecretKey }
  const ada = await addPerson(world, 'live')
  const { rows } = await world.pool.query<{ id: string }>(
    `select id from merchant_environments where merchant_id = $1 and mode = 'live'`,
    [world.ours.merchantId],
  )
  const ledger = openLedger({ url: operatorUrl, clock, newId: world.newId })
  await fundMerchant(
    { pool: world.pool, ledger, newId: world.newId },
    { environmentId: rows[0]?.id ?? '', mode: 'live' },
    {
      account: 'balance',
      currency: 'USD',
      amount: '10',
      reference: 'bank-1',
    },
  )
  await ledger.close()
  const reply = await pay(ada, {}, live)
  expect(reply.status).toBe(200)
  const { body } = await world.get(`${server}/verify-transaction/${reply.reference}`, live)
  expect(body).toMatchObject({ data: { status: 'APPROVED' } })
})

test('a payout returns its status, also to a retry', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(10)
  const first = await pay(ada)
  const data = { referenceId: first.reference, status: 'COMPLETED', amount: 1.25, currency: 'USD' }
  expect(first.body).toMatchObject({ code: 200, status: 'success', data })
  expect((await pay(ada, { referenceId: first.reference })).text).toBe(first.text)
})

test('a preview names the recipient, what it gets and what the rule would decide, and reserves nothing', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(100)
  const before = await world.balance()
  const preview = async (amount: number) =>
    (
      await owner.post('/merchant/payouts/preview', {
        ...{ amount, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' },
        platformUsernameOrEmail: ada.person.username,
      })
    ).json().data
  await limit({ approvalAbove: 20, daily: 50 })
  await nextDay()
  expect(await preview(5)).toMatchObject({ name: 'Ada Obi', isNew: true, pays: '5.00', gets: '5.00', outflow: 'sent' })
  expect(await preview(21)).toMatchObject({ outflow: 'needs_approval' })
  expect(await preview(51)).toMatchObject({ outflow: 'above_daily' })
  expect(await preview(900_000)).toMatchObject({ remains: '' })
  await limit({ newRecipientHours: 24 })
  expect(await preview(5)).toMatchObject({ outflow: 'delayed', waitHours: 24 })
  expect(await world.balance()).toBe(before)
  await limit({ newRecipientHours: 0, approvalAbove: 'none', daily: 'none' })
  const { reference } = await pay(ada)
  expect(await preview(5)).toMatchObject({ isNew: false, outflow: 'sent' })
  const listed = (await owner.get('/merchant/payouts?limit=1')).json().data.payments
  expect(listed).toMatchObject([{ reference, type: 'PAYOUT', person: 'Ada Obi' }])
})

test('the books balance', async () => {
  const books = createPool(ownerUrl, 1)
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
})
