import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { defineErrors, unavailable } from './errors.ts'
import type { Random } from './random.ts'

/** A secret of the key ring, with the id that rows sealed with it store. */
export type RingSecret = { readonly id: number; readonly secret: Buffer }
export type Sealed = { readonly keyId: number; readonly sealed: Buffer }
export type Seals = {
  /** Encrypts text. It can only be decrypted with the same owner id. */
  readonly seal: (ownerId: string, text: string, random: Random) => Sealed
  readonly open: (ownerId: string, sealed: Sealed) => string
  /** Encrypts facts, including bigints and dates, into a token that a client returns later: nothing has to be stored. */
  readonly sealFacts: (purpose: string, facts: object, random: Random) => string
  /** Returns undefined if the token is not one of ours for this purpose. */
  readonly openFacts: (purpose: string, token: string) => unknown
}

export const sealError = defineErrors({
  KEY_RING_INCOMPLETE: unavailable(
    'The encryption key for this record is missing from the key ring. The operator must restore it.',
  ),
})

const nonceBytes = 12
const tagBytes = 16

/** Derives a separate key for each use from a secret of the ring. */
export function deriveKey(secret: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `scrip ${use}`, 32))
}

/** Encrypts secrets that the server must read again. Encrypts with the ring's first secret and decrypts with any of them. */
export function createSeals(ring: readonly RingSecret[]): Seals {
  const keys = new Map(ring.map(({ id, secret }) => [id, createSecretKey(deriveKey(secret, 'seal'))]))
  const currentId = ring[0]?.id ?? 0

  function keyOf(id: number): KeyObject {
    const key = keys.get(id)
    if (key === undefined) throw sealError('KEY_RING_INCOMPLETE', { keyId: id })
    return key
  }
  const seals = {
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
    sealFacts: (purpose, facts, random) => {
      const { keyId, sealed } = seals.seal(purpose, JSON.stringify(facts, writeFact), random)
      return `${keyId}.${sealed.toString('base64url')}`
    },
    openFacts: (purpose, token) => {
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
