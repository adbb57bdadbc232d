import { sign } from 'node:crypto'
import { formatMoney } from '../base/money.ts'
import type { KeyRing } from './key-ring.ts'
import type { Redeemed } from './redeem.ts'

/** What the platform vouches for, in words that do not depend on ours. Nothing in it can redeem anything. */
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

/** A compact JWS (RFC 7515) with Ed25519: any library verifies it, and so do five lines without one. */
export function signReceipt(keyRing: KeyRing, issuer: string, redeemed: Redeemed): string {
  // By the key that signed it the first time: a repeat gets the same receipt.
  const key = keyRing.findKey(redeemed.receiptKey) ?? keyRing.current
  const header = { alg: 'EdDSA', typ: 'scrip-receipt+jws', kid: `${redeemed.mode}-${key.id}` }
  const signed = [header, claimsOf(issuer, redeemed)]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${sign(null, Buffer.from(signed), key.sign[redeemed.mode]).toString('base64url')}`
}

/** The published keys, old ones too: a receipt outlives the key that signed it. */
export function receiptKeys({ publicKeys }: KeyRing) {
  return {
    keys: publicKeys.map(({ kid, jwk }) => ({ kty: jwk.kty, crv: jwk.crv, x: jwk.x, kid, alg: 'EdDSA', use: 'sig' })),
  }
}
