import { defineErrors } from '../base/errors.ts'

export const merchantError = defineErrors({
  KEY_MISSING: { kind: 'unauthenticated', message: 'Send your public key as "Authorization: Bearer pk_…".' },
  KEY_UNKNOWN: { kind: 'unauthenticated', message: 'This key is unknown, ended or revoked.' },
  KEY_SECRET_AS_BEARER: {
    kind: 'unauthenticated',
    message: 'This is a secret key. Send the public key as bearer token, and the secret key as X-API-Private-Key.',
  },
  KEY_SECRET_MISSING: { kind: 'forbidden', message: 'This endpoint also needs the secret key, as X-API-Private-Key.' },
  KEY_SECRET_FOREIGN: {
    kind: 'forbidden',
    message: 'The secret key is not one of the same merchant and mode as the public key.',
  },
  ORIGIN_FORBIDDEN: { kind: 'forbidden', message: 'This public key may not be used from this web site.' },
  KEY_NOT_FOUND: { kind: 'not_found', message: 'There is no such key.' },
  REFERENCE_MISSING: { kind: 'unacceptable', message: 'A reference is needed, so that a repeat moves money once.' },
  KEY_ENDED: { kind: 'conflict', message: 'The key has ended. Make a new one instead.' },
  KEY_ROTATED: {
    kind: 'conflict',
    message: 'This key was replaced already. Rotate the one that replaced it, or make another.',
  },
  MERCHANT_NOT_FOUND: { kind: 'not_found', message: 'There is no such merchant.' },
  MERCHANT_UNNAMED: {
    kind: 'malformed',
    message: 'Say with Scrip-Merchant and Scrip-Mode for which merchant you ask, and whether live or test.',
  },
  ROLE_FORBIDDEN: { kind: 'forbidden', message: 'Your role does not allow this.' },
  MEMBER_NOT_FOUND: { kind: 'not_found', message: 'There is no such member.' },
  OWNER_LAST: { kind: 'conflict', message: 'A merchant has at least one owner. Make somebody else one first.' },
  MERCHANT_CODE_TAKEN: { kind: 'conflict', message: 'Another merchant has this code.' },
  SANDBOX_ONLY: { kind: 'forbidden', message: 'The sandbox is for test keys. This key is live.' },
  TIME_ZONE_UNKNOWN: { kind: 'unacceptable', message: 'A time zone is a name such as Africa/Lagos.' },
})
