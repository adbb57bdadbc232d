import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld, type WorldMerchant } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'

type Customer = { id: string; email: string; name: string; merchantID: string }
type Listed = { customer: Customer[]; page: number; limit: number; total: number }

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

const add = (email: string, name: string, as?: WorldMerchant) =>
  world.call('POST', '/merchant-integrations-server/add-new-customer', { body: { email, name }, ...(as && { as }) })
const update = (body: object, as?: WorldMerchant) =>
  world.call('POST', '/merchant-integrations-server/update-customer', { body, ...(as && { as }) })
const remove = (id: string, as?: WorldMerchant) =>
  world.call('DELETE', `/merchant-integrations/delete-customer/${id}`, { ...(as && { as }) })
const list = async (query = '', as?: WorldMerchant): Promise<Listed> =>
  (await world.get<Listed>(`/merchant-integrations/fetch-customers?${query}`, as)).data
const found = async (search: string): Promise<string[]> =>
  (await list(`search=${encodeURIComponent(search)}&limit=100`)).customer.map(({ name }) => name)

describe('customers', () => {
  test('are added, listed newest first with the total, and paged', async () => {
    const merchant = world.theirs
    for (let i = 1; i <= 25; i++) expect((await add(`n${i}@example.com`, `Number ${i}`, merchant)).status).toBe(200)
    const first = await list('', merchant)
    expect([first.page, first.limit, first.total, first.customer.length]).toEqual([1, 10, 25, 10])
    expect(first.customer[0]).toMatchObject({
      email: 'n25@example.com',
      name: 'Number 25',
      merchantID: merchant.merchantId,
    })
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`page=${page}&limit=7`, merchant)))
    const names = pages.flatMap(({ customer }) => customer.map(({ name }) => name))
    expect(names).toEqual(Array.from({ length: 25 }, (_, i) => `Number ${25 - i}`))
    expect((await list('page=99', merchant)).customer).toEqual([])
  })

  test.each(['limit=101', 'limit=0', 'page=0', 'page=x', 'page=1.5', 'limit=-1'])('400: %s', async (query) => {
    expect((await world.call('GET', `/merchant-integrations/fetch-customers?${query}`)).status).toBe(400)
  })

  test('are found by any part of name or email, ignoring case and accents', async () => {
    await add('zoe.grant@example.com', 'Zoë  Grañt')
    await add('li@example.com', 'Łi Na_100%')
    for (const search of ['zoë', 'ZOE', 'grant', 'oe  gra', 'E.GRANT@EX', 'zo', 'Zoë  Grañt'])
      expect(await found(search), search).toContain('Zoë  Grañt')
    expect(await found('na_1')).toEqual(['Łi Na_100%'])
    expect(await found('n%1')).toEqual([])
    expect(await found('nobody here')).toEqual([])
  })

  test('409: an email address is unique per merchant, ignoring case', async () => {
    expect((await add('twice@example.com', 'One')).status).toBe(200)
    const again = await add('TWICE@example.com', 'Two')
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('CUSTOMER_EMAIL_TAKEN')])
    expect((await add('twice@example.com', 'Theirs', world.theirs)).status).toBe(200)
    const race = await Promise.all(Array.from({ length: 10 }, () => add('race@example.com', 'Racer')))
    expect(race.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(race.filter(({ status }) => status === 409)).toHaveLength(9)
  })

  test('are changed and deleted only by their own merchant, and the total follows', async () => {
    await add('life@example.com', 'Before')
    const { id } = (await list('search=life@example.com')).customer[0]!
    const { total } = await list()
    expect((await update({ id, email: 'life@example.com', name: 'After' })).status).toBe(200)
    expect(await found('after')).toEqual(['After'])
    expect(await found('before')).toEqual([])
    expect((await update({ id, email: 'x@example.com', name: 'Stolen' }, world.theirs)).status).toBe(404)
    expect((await remove(id, world.theirs)).status).toBe(404)
    expect((await update({ id: world.newId(), email: 'x@example.com', name: 'x' })).status).toBe(404)
    expect((await remove(id)).status).toBe(200)
    expect((await remove(id)).status).toBe(404)
    expect((await list()).total).toBe(total - 1)
  })

  test.each([
    { email: 'nope', name: 'x' },
    { email: 'a@example.com' },
    { email: 'a@example.com', name: '  ' },
    { email: 'a@example.com', name: 'x', more: 1 },
  ])('400: %j', async (body) => {
    const reply = await world.call('POST', '/merchant-integrations-server/add-new-customer', { body })
    expect(reply.status).toBe(400)
  })

  test('are not available with the public key alone', async () => {
    for (const [method, path] of [
      ['GET', '/merchant-integrations/fetch-customers'],
      ['DELETE', `/merchant-integrations/delete-customer/${world.newId()}`],
      ['POST', '/merchant-integrations-server/add-new-customer'],
      ['POST', '/merchant-integrations-server/update-customer'],
    ] as const)
      expect((await world.call(method, path, { keys: 'public' })).status).toBe(403)
  })

  test('never appear in the log with name or email', async () => {
    await add('quiet.person@example.com', 'Quiet Person')
    await found('quiet person')
    expect(world.logged()).toContain('fetch-customers')
    expect(world.logged()).not.toMatch(/quiet/i)
  })
})
