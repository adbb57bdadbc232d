import { expect, test } from 'vitest'
import { systemRandom } from '../../base/random.ts'
import { createKeyRing } from './key-ring.ts'

const secrets = [1, 2, 3].map((id) => ({ id, secret: systemRandom(32) }))
const id = '01900000-0000-7000-8000-000000000001'
const other = '01900000-0000-7000-8000-000000000002'
const code = '0123456789ABCDEF'

test('codes and PINs stored under an older key still open, are found and can be compared', () => {
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

test('a sealed code opens only unchanged and for its own voucher, and a PIN digest matches only its own voucher', () => {
  const ring = createKeyRing(secrets)
  const { keyId, sealed } = ring.seal(id, code, systemRandom)
  expect(() => ring.open(other, { keyId, sealed })).toThrow()
  const changed = Buffer.from(sealed)
  changed[14] = (changed[14] ?? 0) ^ 1
  expect(() => ring.open(id, { keyId, sealed: changed })).toThrow()
  const pin = ring.pinDigest(id, '0042')
  expect(ring.isPin(other, '0042', pin.keyId, pin.digest)).toBe(false)
})

test('another key ring finds nothing, and the error names the missing key', () => {
  const stranger = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const ring = createKeyRing(secrets.toReversed())
  expect(stranger.hashesOf({ symbols: code, isOurs: true }, other)).not.toContain(ring.hashOf(code))
  expect(() => stranger.open(id, ring.seal(id, code, systemRandom))).toThrow(
    expect.objectContaining({ code: 'KEY_RING_INCOMPLETE', details: { keyId: 3 } }),
  )
})

test('only its own merchant finds an imported code, and every code has the same number of hashes', () => {
  const ring = createKeyRing(secrets)
  const imported = { symbols: '10000000001', isOurs: false }
  const hash = ring.hashOf(imported.symbols, id)
  expect(ring.hashesOf(imported, id)).toContain(hash)
  expect(ring.hashesOf(imported, other)).not.toContain(hash)
  expect(ring.hashesOf(imported, id)).not.toContain(ring.hashOf(imported.symbols))
  expect(ring.hashesOf(imported, id)).toHaveLength(ring.hashesOf({ symbols: code, isOurs: true }, id).length)
})
