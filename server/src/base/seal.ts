import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { defineErrors, unavailable } from './errors.ts'
import type { Random } from './random.ts'

/** A secret of the ring, by the number that rows made under it carry. */
export type RingSecret = { readonly id: number; readonly secret: Buffer }
export type Sealed = { readonly keyId: number; readonly sealed: Buffer }
export type Seals = ReturnType<typeof createSeals>

export const sealError = defineErrors({
  KEY_RING_INCOMPLETE: unavailable(
    'The key that this was sealed with is not in the key ring. Whoever runs this platform has to put it back.',
  ),
})

const nonceBytes = 12
const tagBytes = 16

/** One key for each use, from a secret of the ring. */
export function deriveKey(secret: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `scrip ${use}`, 32))
}

/** Keeps secrets that we have to know again. Sealed under the first of the ring; what the others sealed can be opened. */
export function createSeals(ring: readonly RingSecret[]) {
  const keys = new Map(ring.map(({ id, secret }) => [id, createSecretKey(deriveKey(secret, 'seal'))]))
  const currentId = ring[0]?.id ?? 0

  function keyOf(id: number): KeyObject {
    const key = keys.get(id)
    if (key === undefined) throw sealError('KEY_RING_INCOMPLETE', { keyId: id })
    return key
  }
  const seals = {
    /** Only together with its owner's id can it be opened again. */
    seal: (ownerId: string, text: string, random: Random): Sealed => {
      const nonce = random(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyOf(currentId), nonce).setAAD(Buffer.from(ownerId))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return { keyId: currentId, sealed }
    },
    open: (ownerId: string, { keyId, sealed }: Sealed): string => {
      const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), sealed.subarray(0, nonceBytes))
      decipher.setAAD(Buffer.from(ownerId)).setAuthTag(sealed.subarray(-tagBytes))
      return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
  }
  return {
    ...seals,
    /** Facts, whole numbers and times among them, as a text that others keep for us: nothing has to be stored. */
    sealFacts: (purpose: string, facts: object, random: Random): string => {
      const { keyId, sealed } = seals.seal(purpose, JSON.stringify(facts, writeFact), random)
      return `${keyId}.${sealed.toString('base64url')}`
    },
    /** Nothing, where it is not one of ours for this very purpose. */
    openFacts: (purpose: string, token: string): unknown => {
      const [keyId, sealed = ''] = token.split('.')
      try {
        const text = seals.open(purpose, { keyId: Number(keyId), sealed: Buffer.from(sealed, 'base64url') })
        return JSON.parse(text, readFact) as unknown
      } catch {
        return undefined
      }
    },
  }
}

function writeFact(this: Record<string, unknown>, key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $whole: String(value) }
  return this[key] instanceof Date ? { $time: value } : value
}

function readFact(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$whole' in value) return BigInt(String(value.$whole))
  return '$time' in value ? new Date(String(value.$time)) : value
}
