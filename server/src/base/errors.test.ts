import { expect, test } from 'vitest'
import { defineErrors, hasCode, ScripError } from './errors.ts'

const error = defineErrors({ TOO_LATE: { kind: 'conflict', message: 'It is too late.' } })

test('an error has the code, kind and message of its table, and the given details and cause', () => {
  const cause = new Error('below')
  const made = error('TOO_LATE', { by: 3 }, cause)
  expect(made).toBeInstanceOf(ScripError)
  expect(made).toMatchObject({
    code: 'TOO_LATE',
    kind: 'conflict',
    message: 'It is too late.',
    details: { by: 3 },
    cause,
  })
})

test('hasCode ignores values that are not errors', () => {
  expect(hasCode(error('TOO_LATE'), 'OTHER', 'TOO_LATE')).toBe(true)
  expect(hasCode({ code: 'TOO_LATE' }, 'TOO_LATE')).toBe(false)
})
