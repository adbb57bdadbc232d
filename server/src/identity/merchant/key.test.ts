import { expect, test } from 'vitest'
import { createSeededRandom, systemRandom } from '../../base/random.ts'
import { digestKey, makeKey, readKey, showKey } from './key.ts'

test('a key shows its kind and mode, has 256 bits, and is unique', () => {
  for (const kind of ['public', 'secret'] as const)
    for (const mode of ['live', 'test'] as const) {
      const keys = Array.from({ length: 100 }, () => makeKey(kind, mode, systemRandom))
      expect(keys.every((key) => /^(pk|sk)_(live|test)_[0-9A-Za-z]{49}$/.test(key))).toBe(true)
      expect(keys.map(readKey)).toEqual(keys.map(() => ({ kind, mode })))
      expect(new Set(keys).size).toBe(100)
    }
})

test('a key with one character changed, dropped or added is invalid', () => {
  const key = makeKey('secret', 'live', createSeededRandom('x'))
  for (let i = 8; i < key.length; i++) {
    const other = key[i] === 'a' ? 'b' : 'a'
    expect(readKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined()
  }
  expect(readKey(key.slice(0, -1))).toBeUndefined()
  expect(readKey(`${key}a`)).toBeUndefined()
  expect(readKey(key.replace('live', 'demo'))).toBeUndefined()
})

test('a secret key is stored as a digest, and shown only by its start and end', () => {
  const key = makeKey('secret', 'test', systemRandom)
  const digest = digestKey(Buffer.from('pepper'), key)
  expect(digest).toHaveLength(32)
  expect(digestKey(Buffer.from('other'), key).equals(digest)).toBe(false)
  expect(showKey('secret', key)).toBe(`sk_test_…${key.slice(-4)}`)
})
