import {
  conflict,
  defineErrors,
  forbidden,
  malformed,
  notFound,
  unacceptable,
  unauthenticated,
} from '../base/errors.ts'

export const merchantError = defineErrors({
  KEY_MISSING: unauthenticated('Send your public key as "Authorization: Bearer pk_…".'),
  KEY_UNKNOWN: unauthenticated('This key is unknown, ended or revoked.'),
  KEY_SECRET_AS_BEARER: unauthenticated(
    'This is a secret key. Send the public key as bearer token, and the secret key as X-API-Private-Key.',
  ),
  KEY_SECRET_MISSING: forbidden('This endpoint also needs the secret key, as X-API-Private-Key.'),
  KEY_SECRET_FOREIGN: forbidden('The secret key is not one of the same merchant and mode as the public key.'),
  ORIGIN_FORBIDDEN: forbidden('This public key may not be used from this web site.'),
  KEY_NOT_FOUND: notFound('There is no such key.'),
  REFERENCE_MISSING: unacceptable('A reference is needed, so that a repeat moves money once.'),
  KEY_ENDED: conflict('The key has ended. Make a new one instead.'),
  KEY_ROTATED: conflict('This key was replaced already. Rotate the one that replaced it, or make another.'),
  MERCHANT_NOT_FOUND: notFound('There is no such merchant.'),
  MERCHANT_UNNAMED: malformed(
    'Say with Scrip-Merchant and Scrip-Mode for which merchant you ask, and whether live or test.',
  ),
  ROLE_FORBIDDEN: forbidden('Your role does not allow this.'),
  MEMBER_NOT_FOUND: notFound('There is no such member.'),
  OWNER_LAST: conflict('A merchant has at least one owner. Make somebody else one first.'),
  MERCHANT_CODE_TAKEN: conflict('Another merchant has this code.'),
  SANDBOX_ONLY: forbidden('The sandbox is for test keys. This key is live.'),
  TIME_ZONE_UNKNOWN: unacceptable('A time zone is a name such as Africa/Lagos.'),
})
