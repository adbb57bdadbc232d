import { createECDH } from 'node:crypto'
import { deriveKey, type RingSecret } from '../base/seal.ts'

/** By what push services know us. */
export type Vapid = { readonly subject: string; readonly publicKey: string; readonly privateKey: string }

// How many points P-256 has. A private key is below it, and not zero.
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** From the first secret of the ring. When another comes first, browsers have to subscribe anew. */
export function deriveVapid([first]: readonly RingSecret[], publicUrl: string): Vapid {
  if (first === undefined) throw new Error('The key ring is empty.')
  const scalar = (BigInt(`0x${deriveKey(first.secret, 'push').toString('hex')}`) % (order - 1n)) + 1n
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar.toString(16).padStart(64, '0'), 'hex')
  return {
    // Whom a push service may turn to. It takes no http, which is what a server that one tries out has.
    subject: publicUrl.replace(/^http:/, 'https:'),
    publicKey: pair.getPublicKey().toString('base64url'),
    privateKey: Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').toString('base64url'),
  }
}
