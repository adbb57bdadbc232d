import { expect, test } from 'vitest'
import { createCaps } from './caps.ts'

test('allows at most max slots per name, and releases a slot only once', () => {
  const { take } = createCaps()
  const caps = [{ name: 'a', max: 2 }]
  const first = take(caps)
  const second = take(caps)
  expect(second).toBeTypeOf('function')
  expect(take(caps)).toBeUndefined()
  first?.()
  first?.()
  expect(take(caps)).toBeTypeOf('function')
  expect(take(caps)).toBeUndefined()
})

test('a slot refused by one cap does not count towards another', () => {
  const { take } = createCaps()
  take([{ name: 'full', max: 1 }])
  const both = [
    { name: 'roomy', max: 1 },
    { name: 'full', max: 1 },
  ]
  expect(take(both)).toBeUndefined()
  expect(take([{ name: 'roomy', max: 1 }])).toBeTypeOf('function')
})
