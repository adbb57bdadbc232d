import { createECDH } from 'node:crypto'
import { deriveKey, type RingSecret } from '../../base/seal.ts'

/** Identifies this server to push services. */
export type Vapid = { readonly subject: string; readonly publicKey: string; readonly privateKey: string }

// The order of P-256. A private key is between zero and this.
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Derives the keys from the first secret of the ring. When that changes, browsers must subscribe again. */
export function deriveVapid([first]: readonly RingSecret[], publicUrl: string): Vapid {
  if (first === undefined) throw new Error('The key ring is empty.')
  const scalar = (BigInt(`0x${deriveKey(first.secret, 'push').toString('hex')}`) % (order - 1n)) + 1n
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar.toString(16).padStart(64, '0'), 'hex')
  return {
    // The contact for push services. They refuse http, which a local test server has.
    subject: publicUrl.replace(/^http:/, 'https:'),
    publicKey: pair.getPublicKey().toString('base64url'),
    privateKey: Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').toString('base64url'),
  }
}
