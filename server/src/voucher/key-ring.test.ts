import { expect, test } from 'vitest'
import { systemRandom } from '../base/random.ts'
import { createKeyRing } from './key-ring.ts'

const secrets = [1, 2, 3].map((id) => ({ id, secret: systemRandom(32) }))
const id = '01900000-0000-7000-8000-000000000001'
const other = '01900000-0000-7000-8000-000000000002'
const code = '0123456789ABCDEF'

test('what an older key of the ring sealed, hashed and digested still opens, is found and is compared', () => {
  const old = createKeyRing(secrets.slice(0, 1))
  const grown = createKeyRing(secrets)
  const sealed = old.sealCode(id, code, systemRandom)
  const pin = old.pinDigest(id, '0042')
  expect(sealed.keyId).toBe(1)
  expect(grown.openCode(id, sealed.keyId, sealed.codeSealed)).toBe(code)
  expect(grown.hashesOf(code)).toContain(sealed.codeHash)
  expect(grown.isPin(id, '0042', pin.keyId, pin.digest)).toBe(true)
  expect(grown.isPin(id, '0043', pin.keyId, pin.digest)).toBe(false)
  expect(grown.sealCode(id, code, systemRandom).keyId).toBe(3)
})

test("a sealed code opens for its own voucher only, and not if a bit of it was changed; one voucher's pin is not another's", () => {
  const ring = createKeyRing(secrets)
  const { keyId, codeSealed } = ring.sealCode(id, code, systemRandom)
  expect(() => ring.openCode(other, keyId, codeSealed)).toThrow()
  const changed = Buffer.from(codeSealed)
  changed[14] = (changed[14] ?? 0) ^ 1
  expect(() => ring.openCode(id, keyId, changed)).toThrow()
  const pin = ring.pinDigest(id, '0042')
  expect(ring.isPin(other, '0042', pin.keyId, pin.digest)).toBe(false)
})

test('another ring finds nothing, and a key that is missing is named', () => {
  const stranger = createKeyRing([{ id: 1, secret: systemRandom(32) }])
  const sealed = createKeyRing(secrets).sealCode(id, code, systemRandom)
  expect(stranger.hashesOf(code)).not.toContain(sealed.codeHash)
  expect(() => stranger.openCode(id, sealed.keyId, sealed.codeSealed)).toThrow('Key 3 is not in the key ring.')
})
