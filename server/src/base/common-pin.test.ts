import { expect, test } from 'vitest'
import { isCommonPin } from './common-pin.ts'

test('refuses the PINs that an attacker tries first', () => {
  const first =
    '123456 654321 012345 890123 098765 000000 111111 999999 121212 112211 123123 123321 147258 159753 112233 241290 122490 901224 311299 198419 202512 121990 122031'
  for (const pin of first.split(' ')) expect([pin, isCommonPin(pin)]).toEqual([pin, true])
})

test('allows over 80 % of all PINs, and those of the demo', () => {
  const some = Array.from({ length: 10_000 }, (_, n) => String(n * 97 + 11).padStart(6, '0'))
  expect(some.filter((pin) => !isCommonPin(pin)).length).toBeGreaterThan(8_000)
  for (const pin of ['246810', '135790', '482915', '907364']) expect([pin, isCommonPin(pin)]).toEqual([pin, false])
})
