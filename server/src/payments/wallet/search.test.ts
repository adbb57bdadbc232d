import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, pin, type VisitingUser } from '../../../local/test/visitor.ts'
import { systemClock } from '../../base/clock.ts'
import { createPool, type Pool } from '../../base/db.ts'
import { withUser } from '../../base/environment.ts'
import { setManualRate } from '../../catalogue/currency/rates.ts'
import { readCurrencies } from '../../catalogue/currency/store.ts'
import { readCursor } from '../../http/pages.ts'
import { searchMoves } from './search.ts'
import type { WireContact, WireMoves } from './wire.ts'

let world: ApiWorld
let owner: Pool
beforeAll(async () => {
  const { url, ownerUrl } = await createTestDatabase()
  world = await createApiWorld(url)
  owner = createPool(ownerUrl, 1)
  await setManualRate(world.pool, 'EUR', 'USD', '1.1', systemClock)
})
afterAll(async () => {
  await owner.end()
  await world.close()
})

const send = (from: VisitingUser, to: VisitingUser, amount: string, note = '', currency = 'USD') =>
  from.post('/wallet/send', { to: to.person.username, amount, currency, note, pin })
const search = async (user: VisitingUser, text: string, more = ''): Promise<WireMoves> => {
  const reply = await user.get(`/wallet/activity?search=${encodeURIComponent(text)}${more}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.as<{ data: WireMoves }>().data
}
const foundBy = async (user: VisitingUser, text: string): Promise<string[]> =>
  (await search(user, text)).moves.map(({ amount, currency }) => `${amount} ${currency}`)

test('activity is found by name, note, reference and amount, in any case and with or without accents', async () => {
  const ada = await addPerson(world, 'test')
  const jose = await addPerson(world, 'test', { otherNames: 'José', surname: 'Núñez' })
  const ben = await addPerson(world, 'test', { otherNames: 'Ben' })
  await world.fund(5000, { user: ada.person.email })
  await send(ada, jose, '1500.00', 'Rent, 100%')
  await send(ada, ben, '12.50', 'Lunch at Zoë’s')
  for (const text of ['jose', 'NUNEZ', 'José N', 'rent', '100%', '1500', '1,500', '1.500,00', '$1,500.00', '−1500'])
    expect([text, await foundBy(ada, text)]).toEqual([text, ['-1500.00 USD']])
  for (const text of ['zoe', 'ben obi', '12.5', '12,50 €', ' 12.50 '])
    expect(await foundBy(ada, text)).toEqual(['-12.50 USD'])
  // A separator of thousands has three digits behind it.
  expect(await foundBy(ada, '15.00')).toEqual([])
  expect(await foundBy(ada, 'nothing_of_the_kind')).toEqual([])
  const [move] = (await search(ada, 'rent')).moves
  for (const text of [move?.id ?? '', `…${move?.id.slice(-8)}`, (move?.id.slice(-8) ?? '').toUpperCase()])
    expect(await foundBy(ada, text)).toEqual(['-1500.00 USD'])
  // The other side finds its own move only.
  expect(await foundBy(jose, 'rent')).toEqual(['1500.00 USD'])
})

test('either amount of an exchange finds both of its moves', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(100, { user: ada.person.email, currency: 'EUR' })
  const { quoteId, gets } = (await ada.post('/wallet/quotes', { from: 'EUR', to: 'USD', amount: '10.00' })).json()
    .data as { quoteId: string; gets: string }
  await ada.post('/wallet/exchange', { quoteId, pin })
  const both = ['-10.00 EUR', `${gets} USD`]
  expect([await foundBy(ada, '10.00'), await foundBy(ada, gets)]).toEqual([both, both])
})

test('a page of a search reads a limited number of moves and goes on at its cursor, also when it found nothing', async () => {
  const ada = await addPerson(world, 'test')
  const total = 5_000
  const { rows } = await owner.query<{ id: number }>(
    `select id from ledger_books where mode = 'test' and currency = 'USD'`,
  )
  await owner.query(
    `insert into wallet_moves (user_id, id, book_id, kind, amount, with_name, note, created_at)
      select $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, 'received', n, 'Ben', '', $3
        from generate_series(1, ${total}) n`,
    [ada.person.id, rows[0]?.id, new Date()],
  )
  await owner.query('analyze wallet_moves')
  let [cursor, pages] = ['', 0]
  const found: string[] = []
  do {
    const page = await search(ada, '0.07', cursor === '' ? '' : `&cursor=${cursor}`)
    found.push(...page.moves.map(({ amount }) => amount))
    cursor = page.nextCursor
    expect(page.hasMore).toBe(cursor !== '')
    pages++
  } while (cursor !== '')
  expect(found).toEqual(['0.07'])
  // 500 moves a page, and the last one tells that there are no more.
  expect(pages).toBe(total / 500 + 1)
  const first = await search(ada, 'ben', '&limit=3')
  expect(first.moves.map(({ amount }) => amount)).toEqual(['50.00', '49.99', '49.98'])
  const second = await search(ada, 'ben', `&limit=3&cursor=${first.nextCursor}`)
  expect(second.moves.map(({ amount }) => amount)).toEqual(['49.97', '49.96', '49.95'])
})

test('a search reads no more rows of a large table than its page', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  await world.fund(9, { user: ada.person.email })
  await send(ada, ben, '1.00')
  const catalogue = await readCurrencies(world.pool)
  const readRows = async (): Promise<number> => {
    await world.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await owner.query<{ read: string }>(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables where relname = 'wallet_moves'`,
    )
    return Number(rows[0]?.read)
  }
  const before = await readRows()
  await withUser(world.pool, ada.person.id, (tx) =>
    searchMoves(tx, { userId: ada.person.id, text: 'x', before: readCursor(undefined), limit: 50 }, catalogue),
  )
  // Other connections of the pool may report their earlier reads meanwhile, but none of them read thousands.
  expect((await readRows()) - before).toBeLessThan(1_500)
})

test('contacts are the users and merchants that were paid, the latest first, without those who cannot be found', async () => {
  const ada = await addPerson(world, 'test')
  const [ben, eve, kim] = [
    await addPerson(world, 'test', { otherNames: 'Ben' }),
    await addPerson(world, 'test', { otherNames: 'Eve' }),
    await addPerson(world, 'test', { otherNames: 'Kim' }),
  ]
  await world.fund(50, { user: ada.person.email })
  const contactsOf = async (user: VisitingUser): Promise<string[]> =>
    (await user.get('/wallet/contacts'))
      .as<{ data: { contacts: WireContact[] } }>()
      .data.contacts.map(({ kind, name, username }) => `${kind} ${name} ${username}`.trim())
  expect(await contactsOf(ada)).toEqual([])
  for (const who of [ben, eve, kim, ben]) await send(ada, who, '1.00')
  const body = { amount: 3, currency: 'USD', user_identifier: ada.person.email, reference_id: 'contact-1' }
  await world.post('/merchant-integrations/payment-request', body)
  await world.post('/sandbox/payment-requests/contact-1/authorise', {})
  await kim.post('/me', { isDiscoverable: false })
  const [shop, ...people] = await contactsOf(ada)
  expect(shop).toMatch(/^merchant /)
  expect(people).toEqual([`user Ben Obi ${ben.person.username}`, `user Eve Obi ${eve.person.username}`])
  // Money that came in makes no contact.
  expect(await contactsOf(ben)).toEqual([])
})
