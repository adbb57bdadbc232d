import { expect, test } from 'vitest'
import { resolveReferences } from './openapi.ts'

test('references are replaced by what they refer to, at every depth', () => {
  const components = {
    schemas: {
      Money: { type: 'string' },
      Voucher: { type: 'object', properties: { balance: { $ref: '#/components/schemas/Money' } } },
    },
  }
  const paths = { '/vouchers': { get: { responses: [{ schema: { $ref: '#/components/schemas/Voucher' } }] } } }
  expect(resolveReferences({ components, paths })).toMatchObject({
    paths: {
      '/vouchers': { get: { responses: [{ schema: { properties: { balance: { type: 'string' } } } }] } },
    },
  })
})
