import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { listen } from '../../../local/parts/listen.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addPerson, pin } from '../../../local/test/visitor.ts'
import { createLog } from '../../base/log.ts'
import { createLive } from '../../messaging/event/live.ts'

let world: ApiWorld
let baseUrl: string
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
  baseUrl = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => world.close())

type Person = Awaited<ReturnType<typeof addPerson>>
const requestPayment = async ({ person }: Person): Promise<string> => {
  const reference = world.newId()
  const body = { amount: 2.5, currency: 'USD', user_identifier: person.email, reference_id: reference }
  await world.call('POST', '/merchant-integrations/payment-request', { body })
  return reference
}
const idOf = async (person: Person): Promise<string> => {
  const { requests } = (await person.get('/wallet/payment-requests')).json().data
  return (requests as { id: string }[])[0]?.id ?? ''
}
const streamOf = ({ cookies }: Person) => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return listen(`${baseUrl}/wallet/stream`, { headers: { 'scrip-realm': 'test', cookie } })
}
/** Expects an event after the action. */
async function expectEvent(stream: Awaited<ReturnType<typeof streamOf>>, act: () => Promise<unknown>): Promise<void> {
  await act()
  expect(await stream.next()).toEqual({ event: 'changed', data: '{}' })
}

test('payment requests, authorisations and transfers reach the stream of their user, and no other', async () => {
  const [ada, ben] = [await addPerson(world, 'test'), await addPerson(world, 'test')]
  const [adas, bens] = [await streamOf(ada), await streamOf(ben)]
  expect([adas.status, adas.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
  let hasBenEvent = false
  const bensFirst = bens.next().then((event) => {
    hasBenEvent = true
    return event
  })
  await expectEvent(adas, () => world.fund(9, { user: ada.person.email }))
  await expectEvent(adas, () => requestPayment(ada))
  const id = await idOf(ada)
  await expectEvent(adas, () => ada.post(`/wallet/payment-requests/${id}/authorise`, { pin }))
  let reference = ''
  await expectEvent(adas, async () => (reference = await requestPayment(ada)))
  await expectEvent(adas, () =>
    world.call('POST', `/merchant-integrations-server/payment-requests/${reference}/cancel`, { body: {} }),
  )
  expect(hasBenEvent).toBe(false)
  await ada.post('/wallet/send', { to: ben.person.username, amount: 1, currency: 'USD', pin })
  expect(await bensFirst).toEqual({ event: 'changed', data: '{}' })
  for (const stream of [adas, bens]) stream.close()
})

test('a new listener gets events from just before it connected', async () => {
  const ada = await addPerson(world, 'test')
  await world.fund(9, { user: ada.person.email })
  const stream = await streamOf(ada)
  await expectEvent(stream, () => Promise.resolve())
  stream.close()
})

test('one query serves all listeners, and none runs without listeners', async () => {
  const looks: (readonly string[])[] = []
  const look = (people: readonly string[]) => {
    looks.push(people)
    return Promise.resolve({ happened: [], isMore: false })
  }
  const live = createLive(() => look, createLog('silent'))
  await sleep(500)
  expect(looks).toEqual([])
  const leaving = new AbortController()
  for (const id of ['ada', 'ben', 'cem', 'dan']) void live.wait(id, 60_000, leaving.signal)
  await sleep(1_000)
  expect(looks.length).toBeLessThan(5)
  expect(looks.at(-1)).toEqual(['ada', 'ben', 'cem', 'dan'])
  leaving.abort()
  const before = looks.length
  await sleep(1_000)
  expect(looks).toHaveLength(before)
})

test('401: the stream requires a session', async () => {
  const stranger = await listen(`${baseUrl}/wallet/stream`, { headers: { 'scrip-realm': 'test' } })
  expect(stranger.status).toBe(401)
})
