import { expect, test } from 'vitest'
import { systemRandom } from '../base/random.ts'
import { createKeyRing } from './key-ring.ts'

const secrets = [1, 2, 3].map((id) => ({ id, secret: systemRandom(32) }))
const id = '01900000-0000-7000-8000-000000000001'
const other = '01900000-0000-7000-8000-000000000002'
const code = '0123456789ABCDEF'

test('what an older key of the ring sealed, hashed and digested still opens, is found and is compared', () => {
  const old = createKeyRing(secrets.slice(0, 1))
  const grown = createKeyRing(secrets.toReversed())
  const sealed = old.seal(id, code, systemRandom)
  const pin = old.pinDigest(id, '0042')
  expect(sealed.keyId).toBe(1)
  expect(grown.open(id, sealed)).toBe(code)
  expect(grown.hashesOf({ symbols: code, isOurs: true }, other)).toContain(old.hashOf(code))
  expect(grown.isPin(id, '0042', pin.keyId, pin.digest)).toBe(true)
  expect(grown.isPin(id, '0043', pin.keyId, pin.digest)).toBe(false)
  expect(grown.seal(id, code, systemRandom).keyId).toBe(3)
})

test("a sealed code opens for its own voucher only, and not if a bit of it was changed; one voucher's pin is not another's", () => {
  const ring = createKeyRing(secrets)
  const { keyId, sealed } = ring.seal(id, code, systemRandom)
  expect(() => ring.open(other, { keyId, sealed })).toThrow()
  const changed = Buffer.from(sealed)
  changed[14] = (changed[14] ?? 0) ^ 1
  expect(() => ring.open(id, { keyId, sealed: changed })).toThrow()
  const pin = ring.pinDigest(id, '0042')
  expect(ring.isPin(other, '0042', pin.keyId, pin.digest)).toBe(false)
})

test('another ring finds nothing, and a key that is missing is named', () => {
  const stranger = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const ring = createKeyRing(secrets.toReversed())
  expect(stranger.hashesOf({ symbols: code, isOurs: true }, other)).not.toContain(ring.hashOf(code))
  expect(() => stranger.open(id, ring.seal(id, code, systemRandom))).toThrow(
    expect.objectContaining({ code: 'KEY_RING_INCOMPLETE', details: { keyId: 3 } }),
  )
})

test('a code of another system is found by its own merchant alone, and every code has as many hashes', () => {
  const ring = createKeyRing(secrets)
  const foreign = { symbols: '10000000001', isOurs: false }
  const hash = ring.hashOf(foreign.symbols, id)
  expect(ring.hashesOf(foreign, id)).toContain(hash)
  expect(ring.hashesOf(foreign, other)).not.toContain(hash)
  expect(ring.hashesOf(foreign, id)).not.toContain(ring.hashOf(foreign.symbols))
  expect(ring.hashesOf(foreign, id)).toHaveLength(ring.hashesOf({ symbols: code, isOurs: true }, id).length)
})
