import { expect, test } from 'vitest'
import { createCaps } from './caps.ts'

test('lets so many of a name go on at once, and takes places back once', () => {
  const { take } = createCaps()
  const caps = [{ name: 'a', max: 2 }]
  const [first, second] = [take(caps), take(caps)]
  expect(second).toBeTypeOf('function')
  expect(take(caps)).toBeUndefined()
  first?.()
  first?.()
  expect(take(caps)).toBeTypeOf('function')
  expect(take(caps)).toBeUndefined()
})

test('what one cap refuses counts towards no other', () => {
  const { take } = createCaps()
  take([{ name: 'full', max: 1 }])
  const both = [
    { name: 'roomy', max: 1 },
    { name: 'full', max: 1 },
  ]
  expect(take(both)).toBeUndefined()
  expect(take([{ name: 'roomy', max: 1 }])).toBeTypeOf('function')
})
