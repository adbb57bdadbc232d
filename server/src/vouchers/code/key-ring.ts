import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { createSeals, deriveKey, type RingSecret, sealError, type Seals } from '../../base/seal.ts'
import type { Mode } from '../../base/mode.ts'
import type { ReadCode } from './code.ts'

type RingKey = {
  readonly id: number
  // Key objects, since an HMAC with a Buffer as key takes ten times as long.
  readonly lookup: KeyObject
  readonly pin: KeyObject
  /** One key per mode: a receipt of test money must not verify with the live key. */
  readonly sign: Record<Mode, KeyObject>
}

type PinDigest = { readonly keyId: number; readonly digest: Buffer }
type PublicKey = { readonly kid: string; readonly jwk: JsonWebKey }

export type KeyRing = Seals & {
  readonly current: RingKey
  readonly findKey: (id: number) => RingKey | undefined
  /**
   * The hashes of a code under every key, first as a code imported by this environment, then as one of ours: two
   * merchants may import the same code, and each must find its own. The number of hashes is the same for every code.
   */
  readonly hashesOf: (code: ReadCode, environmentId: string) => string[]
  /** The hash to store for a new row. Only imported codes are bound to an environment. */
  readonly hashOf: (symbols: string, environmentId?: string) => string
  readonly pinDigest: (voucherId: string, pin: string) => PinDigest
  readonly isPin: (voucherId: string, pin: string, keyId: number, digest: Buffer) => boolean
  /** The published keys that verify receipts. */
  readonly publicKeys: readonly PublicKey[]
}

// The PKCS #8 prefix of a 32-byte Ed25519 key.
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives one key per use from each secret. The first secret protects new rows, the others keep old rows readable. To
 * rotate, append the new secret, wait until every process knows it, then move it to the front.
 */
export function createKeyRing(secrets: readonly RingSecret[]): KeyRing {
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
    findKey,
    hashesOf: ({ symbols, isOurs }, environmentId) => {
      const own = keys.map(({ lookup }) => hashCode(lookup, symbols, environmentId))
      return [...own, ...(isOurs ? keys.map(({ lookup }) => hashCode(lookup, symbols)) : own)]
    },
    hashOf: (symbols, environmentId) => hashCode(current.lookup, symbols, environmentId),
    ...createSeals(secrets),
    pinDigest: (voucherId, pin) => ({
      keyId: current.id,
      digest: digestPin(current.pin, voucherId, pin),
    }),
    isPin: (voucherId, pin, keyId, digest) => timingSafeEqual(digestPin(keyOf(keyId).pin, voucherId, pin), digest),
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
      key: Buffer.concat([ed25519Prefix, derive(`receipt ${mode}`)]),
      format: 'der',
      type: 'pkcs8',
    })
  const secretFor = (use: string): KeyObject => createSecretKey(derive(use))
  return {
    id,
    lookup: secretFor('code'),
    pin: secretFor('pin'),
    sign: { live: signFor('live'), test: signFor('test') },
  }
}

// 128 bits as 32 hex digits, which PostgreSQL reads as a uuid.
function hashCode(key: KeyObject, symbols: string, environmentId?: string): string {
  const text = environmentId === undefined ? symbols : `${environmentId}/${symbols}`
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}

function digestPin(key: KeyObject, voucherId: string, pin: string): Buffer {
  return createHmac('sha256', key).update(`${voucherId}|${pin}`).digest()
}
