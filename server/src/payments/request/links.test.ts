import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, addPerson, pin } from '../../../local/test/visitor.ts'
import { createPool } from '../../base/db.ts'
import { verifyLedger } from '../../ledger/verify.ts'

const server = '/merchant-integrations-server'
type Link = { id: string; referenceId: string; link: string; expiresAt: string }
type Asked = { reference: string; status: string; person: string; by: string; link: string; isByLink: boolean }

let world: ApiWorld
let ownerUrl: string
let now = Date.now()
beforeAll(async () => {
  const database = await createTestDatabase()
  ownerUrl = database.ownerUrl
  world = await createApiWorld(database.url, () => new Date(now))
})
afterAll(async () => {
  const books = createPool(ownerUrl, 1)
  expect(await verifyLedger(books)).toEqual([])
  await books.end()
  await world.close()
})

const makeLink = async (more: object = {}): Promise<Link> => {
  const reply = await world.post<Link>(`${server}/payment-links`, { amount: 2.5, currency: 'USD', ...more })
  expect(reply.status, reply.text).toBe(200)
  return reply.data
}
const addPayer = async (balance = 10) => {
  const payer = await addPerson(world, 'test')
  await world.fund(balance, { user: payer.person.email })
  return payer
}

test('whoever opens the link first and authorises it pays it, once, and the shop sees who it was', async () => {
  const [ada, ben] = [await addPayer(), await addPayer()]
  const before = await world.balance()
  const { id, link, referenceId } = await makeLink({ note: 'Two coffees' })
  expect(link).toBe(`https://pay.example/app/pay/${id}?mode=test`)
  for (const who of [ada, ben])
    expect((await who.get(`/wallet/payment-requests/${id}`)).json().data).toMatchObject({
      ...{ merchant: 'OURS', amount: '2.50', note: 'Two coffees', status: 'PENDING', byLink: true },
    })
  // It is to nobody in particular: it is in no list, and nobody can decline it for the others.
  expect((await ada.get('/wallet/payment-requests')).json().data).toEqual({ requests: [] })
  expect((await ben.post(`/wallet/payment-requests/${id}/decline`, {})).status).toBe(404)
  const pay = (who: typeof ada) => who.post(`/wallet/payment-requests/${id}/authorise`, { pin })
  const replies = await Promise.all([pay(ada), pay(ben), pay(ada)])
  const paid = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status !== 200)
  expect(paid.length).toBeGreaterThan(0)
  // A user who comes too late no longer finds it.
  const late = ['PAYMENT_ENDED', 'PAYMENT_NOT_FOUND']
  expect(refused.filter((reply) => !late.includes(reply.json().error?.code ?? ''))).toEqual([])
  expect((await world.balance()) - before).toBeCloseTo(2.5, 9)
  const winner = replies[1].status === 200 ? ben : ada
  const { body } = await world.get(`${server}/verify-transaction/${referenceId}`)
  expect(body).toMatchObject({ data: { status: 'COMPLETED', userId: winner.person.id, type: 'PAYMENT_REQUEST' } })
  const loser = winner === ada ? ben : ada
  expect((await loser.get(`/wallet/payment-requests/${id}`)).status).toBe(404)
  const refund = { referenceId, refundReferenceId: world.newId() }
  expect((await world.post(`${server}/refund`, refund)).status).toBe(200)
  const wallet = (await winner.get('/wallet')).json().data
  expect(wallet.balances).toMatchObject([{ currency: 'USD', available: '10.00' }])
})

test('a link can be cancelled, ends after a day, and is of one mode', async () => {
  const ada = await addPayer()
  const live = await addPerson(world, 'live')
  const cancelled = await makeLink()
  expect((await live.get(`/wallet/payment-requests/${cancelled.id}`)).status).toBe(404)
  expect((await world.post(`${server}/payment-requests/${cancelled.referenceId}/cancel`, {})).status).toBe(200)
  const pay = (id: string) => ada.post(`/wallet/payment-requests/${id}/authorise`, { pin })
  expect((await pay(cancelled.id)).json().error?.code).toBe('PAYMENT_ENDED')
  const late = await makeLink()
  expect(Date.parse(late.expiresAt) - now).toBe(24 * 3_600_000)
  now += 24 * 3_600_000 + 1_000
  expect((await pay(late.id)).json().error?.code).toBe('PAYMENT_ENDED')
  await world.work()
  expect(await world.statusOf(late.referenceId)).toBe('CANCELED')
})

test('cashiers list and cancel their own requests only; accountants read all; developers get 403', async () => {
  const [ann, bob] = [await addMember(world, world.ours, 'cashier'), await addMember(world, world.ours, 'cashier')]
  const accountant = await addMember(world, world.ours, 'accountant')
  const made = await ann.post(`${server}/payment-links`, { amount: 3, currency: 'USD', referenceId: 'from-ann' })
  expect(made.status, made.text).toBe(200)
  const list = async (who: typeof ann): Promise<Asked[]> =>
    (await who.get('/merchant/payment-requests?limit=100')).json().data.requests as Asked[]
  expect(await list(ann)).toMatchObject([{ reference: 'from-ann', status: 'PENDING', isByLink: true, by: 'Ada Obi' }])
  expect(await list(bob)).toEqual([])
  expect((await list(accountant)).map(({ reference }) => reference)).toContain('from-ann')
  expect((await bob.get('/merchant/payment-requests/from-ann')).status).toBe(404)
  const cancel = (who: typeof ann) => who.post(`${server}/payment-requests/from-ann/cancel`, {})
  expect((await cancel(bob)).json().error?.code).toBe('PAYMENT_OF_COLLEAGUE')
  expect((await cancel(accountant)).status).toBe(403)
  expect((await cancel(ann)).status).toBe(200)
  const { data } = (await ann.get('/merchant/payment-requests/from-ann')).json()
  expect(data).toMatchObject({ status: 'CANCELED', statusReason: 'withdrawn', link: '' })
  const developer = await addMember(world, world.ours, 'developer')
  expect((await developer.get('/merchant/payment-requests')).status).toBe(403)
  expect((await accountant.post(`${server}/payment-links`, { amount: 3, currency: 'USD' })).status).toBe(403)
})
