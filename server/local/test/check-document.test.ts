import fastify from 'fastify'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { checkSchemas } from './check-document.ts'

const schema = { response: { 200: Type.Object({ id: Type.String(), name: Type.String() }) } }

/** What is found in a response with this body. */
async function faultsOf(body: object): Promise<readonly string[]> {
  const app = fastify()
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  const faults = checkSchemas(app)
  app.get('/thing', { schema }, () => body)
  await app.inject('/thing')
  await app.close()
  return faults.list()
}

test('a response that fits its schema is no fault', async () => {
  expect(await faultsOf({ id: '1', name: 'A' })).toEqual([])
})

test('a missing field, another type and a field that the schema does not have are faults', async () => {
  expect(await faultsOf({ id: '1' })).toHaveLength(1)
  expect(await faultsOf({ id: 1, name: 'A' })).toHaveLength(1)
  expect(await faultsOf({ id: '1', name: 'A', more: true })).toHaveLength(1)
})
