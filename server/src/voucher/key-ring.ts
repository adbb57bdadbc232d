import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { createSeals, deriveKey, type RingSecret, sealError } from '../base/seal.ts'
import type { Mode } from '../ledger/book.ts'
import type { ReadCode } from './code.ts'

type RingKey = {
  readonly id: number
  // Key objects: an HMAC under a Buffer takes ten times as long.
  readonly look: KeyObject
  readonly pin: KeyObject
  /** A receipt of play money is never genuine under the key of real money. */
  readonly sign: Record<Mode, KeyObject>
}

export type KeyRing = ReturnType<typeof createKeyRing>

// What stands before the 32 bytes of an Ed25519 key in its usual wrapping.
const ed25519Wrapping = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * From each secret of the ring one key for each use. New rows are made under the first, and what the others made goes on working. So
 * a new key is added behind first, until every process knows it, and only then moved to the front.
 */
export function createKeyRing(secrets: readonly RingSecret[]) {
  const keys = secrets.map(deriveKeys)
  const [current] = keys
  if (current === undefined) throw new Error('The key ring is empty.')

  const findKey = (id: number): RingKey | undefined => keys.find((key) => key.id === id)
  const keyOf = (id: number): RingKey => {
    const key = findKey(id)
    if (key === undefined) throw sealError('KEY_RING_INCOMPLETE', { keyId: id })
    return key
  }

  return {
    current,
    /**
     * Under every key: a code is found whichever it was made under. As everybody's, and as one that this environment brought
     * along, which goes first: two merchants may have the same, and nobody's own depends on what others have. As many for every code,
     * whatever its form.
     */
    hashesOf: ({ symbols, isOurs }: ReadCode, environmentId: string): string[] => {
      const own = keys.map(({ look }) => hashCode(look, symbols, environmentId))
      return [...own, ...(isOurs ? keys.map(({ look }) => hashCode(look, symbols)) : own)]
    },
    /** For a row made now. Only a code of another system belongs to an environment. */
    hashOf: (symbols: string, environmentId?: string): string => hashCode(current.look, symbols, environmentId),

    ...createSeals(secrets),

    pinDigest: (voucherId: string, pin: string): { keyId: number; digest: Buffer } => ({
      keyId: current.id,
      digest: digestPin(current.pin, voucherId, pin),
    }),
    isPin: (voucherId: string, pin: string, keyId: number, digest: Buffer): boolean =>
      timingSafeEqual(digestPin(keyOf(keyId).pin, voucherId, pin), digest),

    findKey,
    /** For everybody: by these a receipt is verified. */
    publicKeys: keys.flatMap(({ id, sign }) =>
      (['live', 'test'] as const).map((mode) => ({
        kid: `${mode}-${id}`,
        jwk: createPublicKey(sign[mode]).export({ format: 'jwk' }),
      })),
    ),
  }
}

function deriveKeys({ id, secret }: RingSecret): RingKey {
  const derive = (use: string): Buffer => deriveKey(secret, use)
  const signFor = (mode: Mode): KeyObject =>
    createPrivateKey({
      key: Buffer.concat([ed25519Wrapping, derive(`receipt ${mode}`)]),
      format: 'der',
      type: 'pkcs8',
    })
  const secretFor = (use: string): KeyObject => createSecretKey(derive(use))
  return {
    id,
    look: secretFor('code'),
    pin: secretFor('pin'),
    sign: { live: signFor('live'), test: signFor('test') },
  }
}

// 128 bits, as the 32 digits that PostgreSQL reads as a uuid.
function hashCode(key: KeyObject, symbols: string, environmentId?: string): string {
  const text = environmentId === undefined ? symbols : `${environmentId}/${symbols}`
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}

function digestPin(key: KeyObject, voucherId: string, pin: string): Buffer {
  return createHmac('sha256', key).update(`${voucherId}|${pin}`).digest()
}
