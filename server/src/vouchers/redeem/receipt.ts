import { sign } from 'node:crypto'
import { formatMoney } from '../../base/money.ts'
import type { KeyRing } from '../code/key-ring.ts'
import type { Redeemed } from './redeem.ts'

/** The signed claims, independent of the API's field names. They contain no code and no key. */
function claimsOf(issuer: string, redeemed: Redeemed) {
  const { amount, charge, chargedTo, received } = redeemed
  return {
    iss: issuer,
    jti: redeemed.id,
    type: 'voucher.redemption',
    mode: redeemed.mode,
    merchant: redeemed.merchantCode,
    reference: redeemed.reference,
    voucher: redeemed.voucherId,
    currency: amount.currency.code,
    amount: formatMoney(amount),
    charge: formatMoney(charge),
    taken: formatMoney({ ...amount, minor: amount.minor + (chargedTo === 'voucher' ? charge.minor : 0n) }),
    received: { amount: formatMoney(received), currency: received.currency.code },
    at: redeemed.at.toISOString(),
  }
}

/** A compact JWS (RFC 7515) with Ed25519, which any JOSE library verifies. */
export function signReceipt(keyRing: KeyRing, issuer: string, redeemed: Redeemed): string {
  // The key that signed it the first time, so that a retry returns the same receipt.
  const key = keyRing.findKey(redeemed.receiptKey) ?? keyRing.current
  const header = { alg: 'EdDSA', typ: 'scrip-receipt+jws', kid: `${redeemed.mode}-${key.id}` }
  const signed = [header, claimsOf(issuer, redeemed)]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${sign(null, Buffer.from(signed), key.sign[redeemed.mode]).toString('base64url')}`
}

type ReceiptKey = {
  readonly kty: string | undefined
  readonly crv: string | undefined
  readonly x: string | undefined
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** A JSON Web Key Set (RFC 7517). */
type ReceiptKeys = { readonly keys: ReceiptKey[] }

/** The published keys, including old ones: a receipt must verify after its key was rotated. */
export function receiptKeys({ publicKeys }: KeyRing): ReceiptKeys {
  return {
    keys: publicKeys.map(({ kid, jwk }) => ({ kty: jwk.kty, crv: jwk.crv, x: jwk.x, kid, alg: 'EdDSA', use: 'sig' })),
  }
}
