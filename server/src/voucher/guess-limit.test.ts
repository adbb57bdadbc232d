import { expect, test } from 'vitest'
import { createManualClock } from '../base/clock.ts'
import { createGuessLimit, networkOf } from './guess-limit.ts'

test('sixty unknown codes from one address in ten minutes are enough; others are not touched', () => {
  const clock = createManualClock(new Date('2026-01-01T00:00:00Z'))
  const limit = createGuessLimit(clock)
  for (let i = 0; i < 59; i++) limit.count('192.0.2.1')
  expect(() => limit.check('192.0.2.1')).not.toThrow()
  limit.count('192.0.2.1')
  clock.advance(60_000)
  expect(() => limit.check('192.0.2.1')).toThrow(
    expect.objectContaining({ code: 'VOUCHER_GUESSING', details: { retryAfterSeconds: 540 } }),
  )
  expect(() => limit.check('192.0.2.2')).not.toThrow()
  clock.advance(9 * 60_000)
  expect(() => limit.check('192.0.2.1')).not.toThrow()
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
