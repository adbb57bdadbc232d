import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCompiler, resolveReferences } from '../../../local/test/check-document.ts'
import { buildApp } from '../../app.ts'
import { errorCatalogue } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { chargeTypes } from '../../catalogue/charge/wire.ts'
import { readConfig } from '../../config.ts'
import { statusOf } from '../envelope.ts'
import { legalMoves } from '../../payments/transaction/status.ts'
import { transactionTypes } from '../../payments/transaction/wire.ts'
import { type Document, operationsOf, type Schema } from './document.ts'
import { ownErrors } from './operation-errors.ts'

const committed = readFileSync(join(import.meta.dirname, '../../../../docs/reference/openapi.json'), 'utf8')
const document = JSON.parse(committed) as Document
const operations = operationsOf(document)
const resolved = operationsOf(resolveReferences(document, document))
const { schemas } = document.components
const compile = createCompiler(document)

/** What is wrong with an example, or an empty text. */
function faultOf(schema: Schema, example: unknown): string {
  if (example === undefined) return 'there is no example'
  const validate = compile(schema)
  return validate(example) ? '' : JSON.stringify(validate.errors)
}

describe('the OpenAPI document', () => {
  let built: Awaited<ReturnType<typeof buildApp>>
  beforeAll(async () => {
    // Nothing here needs the database.
    const config = readConfig({
      DATABASE_URL: 'postgresql://localhost/none',
      KEY_PEPPER: '00'.repeat(32),
      KEY_RING: `1:${'00'.repeat(32)}`,
    })
    built = await buildApp(config, createLog('silent'))
  })
  afterAll(() => built.stop())

  test('that a server serves is the committed one', async () => {
    const served = await built.app.inject({ method: 'GET', url: '/docs/openapi.json' })
    expect(`${JSON.stringify(served.json(), null, 2)}\n`).toBe(committed)
  })

  test('has names for what clients use most', () => {
    const named = [
      'Transaction',
      'Voucher',
      'Currency',
      'Money',
      'Invoice',
      'Customer',
      'WebhookEndpoint',
      'Event',
      'Error',
    ]
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(named))
    expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([])
  })

  test('describes every JSON body by a named schema', () => {
    for (const { operation } of operations) {
      const contents = [operation.requestBody?.content, operation.responses['200']?.content]
      for (const content of contents)
        if (content?.['application/json'] !== undefined)
          expect(content['application/json'].schema.$ref, operation.operationId).toMatch(/^#\/components\/schemas\//)
    }
  })

  test('lists the values of status, type and chargeType', () => {
    const { status, type, chargeType } = schemas['Transaction']?.properties ?? {}
    const values = [status, type, chargeType].map((schema) => resolveReferences(document, schema)?.enum)
    expect(values).toEqual([Object.keys(legalMoves), transactionTypes, chargeTypes])
  })
})

const statusOfCode = new Map(errorCatalogue.map(({ code, kind }) => [code, statusOf[kind]]))

function codesOf(reference = ''): string[] {
  const response = document.components.responses[reference.split('/').at(-1) ?? '']
  return Object.keys(response?.content?.['application/json']?.examples ?? {})
}

test('every error response lists its codes and has an example of each, which its schema accepts', () => {
  const { responses } = document.components
  for (const name of Object.keys(responses)) {
    const { schema = {}, examples = {} } = responses[name]?.content?.['application/json'] ?? {}
    const validate = compile(schema)
    expect(Object.keys(examples).length, name).toBeGreaterThan(0)
    for (const [code, example] of Object.entries(examples)) {
      const { value } = resolveReferences(document, example) as { value: { error: { code: string } } }
      expect(value.error.code).toBe(code)
      expect(validate(value), `${name} ${code}`).toBe(true)
      expect(validate({ ...value, error: { ...value.error, code: 'ANOTHER' } }), name).toBe(false)
    }
  }
})

describe('every operation', () => {
  test('has a request example that its schema accepts', () => {
    for (const { operation } of operations) {
      const { operationId, requestBody, parameters = [] } = operation
      for (const { schema, example } of Object.values(requestBody?.content ?? {}))
        expect(faultOf(schema, example), `${operationId} body`).toBe('')
      for (const parameter of parameters)
        if ('schema' in parameter && parameter.required === true)
          expect(faultOf(parameter.schema, parameter.example), `${operationId} ${parameter.name}`).toBe('')
    }
  })

  test('has a response example that its schema accepts', () => {
    for (const { operation } of operations) {
      const contents = Object.values(operation.responses['200']?.content ?? {})
      expect(contents, operation.operationId).toHaveLength(1)
      for (const { schema, example } of contents) expect(faultOf(schema, example), operation.operationId).toBe('')
    }
  })

  test('has its errors by status as named responses', () => {
    for (const { operation } of operations) {
      const errors = Object.entries(operation.responses).filter(([status]) => status !== '200')
      const statuses = errors.map(([status]) => status)
      expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500', '503']))
      for (const [status, { $ref }] of errors) {
        expect($ref, `${operation.operationId} ${status}`).toMatch(/^#\/components\/responses\//)
        for (const code of codesOf($ref)) expect([code, statusOfCode.get(code)]).toEqual([code, Number(status)])
      }
    }
  })

  test('declares the headers of its responses, and money moves under an Idempotency-Key', () => {
    const always = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    for (const { operation } of resolved) {
      const { operationId, responses, parameters = [], requestBody } = operation
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        expect(Object.keys(headers), operationId).toEqual(expect.arrayContaining(always))
        expect('Retry-After' in headers, `${operationId} ${status}`).toBe(status === '429')
      }
      const fields = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {})
      if (!fields.some((field) => /^(referenceId|reference_id|refundReferenceId)$/.test(field))) continue
      expect(Object.keys(responses['200']?.headers ?? {}), operationId).toContain('Scrip-Reference-Id')
      // A refund needs its reference in the body.
      if (fields.includes('refundReferenceId')) continue
      expect(parameters.map((parameter) => 'name' in parameter && parameter.name)).toContain('Idempotency-Key')
    }
  })

  test('in the list of errors exists', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(Object.keys(ownErrors).filter((id) => !ids.includes(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })
})
