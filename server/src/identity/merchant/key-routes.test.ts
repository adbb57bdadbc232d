import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../../../local/test/api-world.ts'
import { createTestDatabase } from '../../../local/test/test-database.ts'
import { addMember, enrolOneTimeCode, pin } from '../../../local/test/visitor.ts'
import { createKey } from './keys.ts'
import type { WireKey } from './wire.ts'

let world: ApiWorld
let developer: Awaited<ReturnType<typeof addMember>>
let now = new Date()
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url, () => now)
  developer = await addMember(world, world.ours, 'developer')
})
afterAll(() => world.close())

type Made = { readonly id: string; readonly key: string }
const codeOf = (reply: Awaited<ReturnType<typeof developer.post>>): string | undefined => reply.json().error?.code
const make = async (body: object): Promise<Made> =>
  (await developer.post('/merchant/keys', { kind: 'secret', name: 'server', pin, ...body })).json().data as Made
const list = async (): Promise<WireKey[]> => (await developer.get('/merchant/keys')).json().data.keys as WireKey[]
const use = async (secretKey: string): Promise<number> =>
  (
    await world.call('GET', '/merchant-integrations/fetch-balance?currencyAbbreviation=USD', {
      as: { ...world.ours, secretKey },
    })
  ).status

test('a developer creates a key that works, and the list never shows a secret key again', async () => {
  const { id, key } = await make({ name: ' online shop ' })
  expect(await use(key)).toBe(200)
  const reply = await developer.get('/merchant/keys')
  expect(reply.text).not.toContain(key)
  const shown = (await list()).find((each) => each.id === id)
  expect(shown).toMatchObject({ kind: 'secret', name: 'online shop', shown: `sk_test_…${key.slice(-4)}`, endsAt: '' })
  const web = await make({ kind: 'public', name: 'web', origins: ['https://shop.example'] })
  expect((await list()).find((each) => each.id === web.id)).toMatchObject({
    ...{ shown: web.key, origins: ['https://shop.example'] },
  })
  expect(world.logged()).not.toContain(key)
})

test('a change of keys is confirmed, with the PIN in test mode and with a one-time code in live mode', async () => {
  const body = { kind: 'secret', name: 'x' }
  const before = (await list()).length
  expect(codeOf(await developer.post('/merchant/keys', body))).toBe('CONFIRMATION_MISSING')
  expect(codeOf(await developer.post('/merchant/keys', { ...body, pin: '246802' }))).toBe('PIN_WRONG')
  const live = { 'scrip-mode': 'live' }
  expect(codeOf(await developer.post('/merchant/keys', { ...body, pin }, live))).toBe('SECOND_FACTOR_MISSING')
  const withoutApp = await developer.post('/merchant/keys', { ...body, oneTimeCode: '123456' }, live)
  expect(codeOf(withoutApp)).toBe('SECOND_FACTOR_NOT_SET')
  const [first] = await list()
  for (const act of ['rotate', 'revoke'])
    expect(codeOf(await developer.post(`/merchant/keys/${first?.id}/${act}`, {}))).toBe('CONFIRMATION_MISSING')
  expect((await list()).length).toBe(before)

  const owner = await addMember(world, world.ours, 'owner')
  const oneTimeCode = await enrolOneTimeCode(owner)
  const made = await owner.post('/merchant/keys', { ...body, oneTimeCode: oneTimeCode() }, live)
  expect((made.json().data as Made).key).toMatch(/^sk_live_/)
})

test('a rotated key works for another day beside its replacement, and a revoked one ends', async () => {
  const old = await make({ name: 'rotating' })
  const rotated = (await developer.post(`/merchant/keys/${old.id}/rotate`, { pin })).json().data as Made
  expect([await use(old.key), await use(rotated.key)]).toEqual([200, 200])
  expect(codeOf(await developer.post(`/merchant/keys/${old.id}/rotate`, { pin }))).toBe('KEY_ROTATED')
  now = new Date(now.getTime() + 24 * 60 * 60 * 1_000 + 1)
  expect([await use(old.key), await use(rotated.key)]).toEqual([401, 200])
  expect((await developer.post(`/merchant/keys/${rotated.id}/revoke`, { pin })).status).toBe(200)
  now = new Date(now.getTime() + 5_000)
  expect(await use(rotated.key)).toBe(401)
  // Keys that work come first.
  const ends = (await list()).map(({ endsAt }) => endsAt !== '' && new Date(endsAt) <= now)
  expect(ends).toEqual(ends.toSorted((a, b) => Number(a) - Number(b)))
  now = new Date()
})

test('the keys of another merchant are neither listed nor changed', async () => {
  const foreign = await createKey(world.tools, world.theirs, { kind: 'secret', name: 'theirs' })
  expect((await list()).some(({ id }) => id === foreign.id)).toBe(false)
  for (const act of ['rotate', 'revoke'])
    expect(codeOf(await developer.post(`/merchant/keys/${foreign.id}/${act}`, { pin }))).toBe('KEY_NOT_FOUND')
})

test('a merchant has at most 50 keys that work in a mode', async () => {
  const working = (await list()).filter(({ endsAt }) => endsAt === '' || new Date(endsAt) > now).length
  for (let i = working; i < 50; i++) await createKey(world.tools, world.ours, { kind: 'public', name: `key ${i}` })
  const refused = await developer.post('/merchant/keys', { kind: 'secret', name: 'one more', pin })
  expect(codeOf(refused)).toBe('KEYS_FULL')
  const [newest] = await list()
  await developer.post(`/merchant/keys/${newest?.id}/revoke`, { pin })
  expect((await make({ name: 'instead' })).key).toMatch(/^sk_test_/)
})
