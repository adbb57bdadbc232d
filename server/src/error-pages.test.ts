import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, createApiWorld } from '../local/test/api-world.ts'
import { createTestDatabase } from '../local/test/test-database.ts'
import { errorCatalogue } from './base/errors.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await createApiWorld((await createTestDatabase()).url)
})
afterAll(() => world.close())

test('error.doc of a response is the address of the page of that error', async () => {
  const refusal = await world.app.inject({ url: '/api/no-such-endpoint' })
  const { error } = refusal.json<{ error: { code: string; doc: string } }>()
  const page = await world.app.inject({ url: error.doc })
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-type']).toContain('text/html')
  expect(page.body).toContain(`<h1><code>${error.code}</code></h1>`)
})

test('every code of the catalogue has a page with its message, and the list links to all of them', async () => {
  expect(errorCatalogue.length).toBeGreaterThan(100)
  const list = await world.app.inject({ url: '/docs/errors' })
  for (const { code, message } of errorCatalogue) {
    const address = `/docs/errors/${code.toLowerCase().replaceAll('_', '-')}`
    const page = await world.app.inject({ url: address })
    expect(page.statusCode, code).toBe(200)
    expect(page.body, code).toContain(message.slice(0, 20).replaceAll('"', '&quot;'))
    expect(list.body, code).toContain(`href="${address}"`)
  }
})

test('an unknown code has no page', async () => {
  const page = await world.app.inject({ url: '/docs/errors/no-such-code' })
  expect(page.statusCode).toBe(404)
})
