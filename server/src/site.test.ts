import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

test('a server that is not the demo tells pages its name and no key', async () => {
  const reply = await world.app.inject({ url: '/site.json' })
  expect(reply.json()).toEqual({ platformName: 'Scrip', demo: null })
})

test('the OpenAPI document is compressed for clients that accept it, and revalidated with its tag', async () => {
  const url = '/docs/openapi.json'
  const plain = await world.app.inject({ url })
  expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Object.keys(plain.json<{ paths: object }>().paths).length).toBeGreaterThan(50)
  const packed = await world.app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
  expect(packed.headers['content-encoding']).toBe('br')
  expect(packed.rawPayload.length).toBeLessThan(plain.body.length / 12)
  expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body)
  const again = await world.app.inject({ url, headers: { 'if-none-match': String(packed.headers.etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('the content security policy of the reference allows nothing inline and no other server', async () => {
  const { headers } = await world.app.inject({ url: '/docs' })
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self'")
  expect(policy).not.toMatch(/unsafe|data:|https?:/)
})
