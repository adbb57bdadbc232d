import {
  conflict,
  defineErrors,
  forbidden,
  malformed,
  notFound,
  unacceptable,
  unauthenticated,
} from '../../base/errors.ts'

export const merchantError = defineErrors({
  KEY_MISSING: unauthenticated('Send your public key as "Authorization: Bearer pk_…".'),
  KEY_UNKNOWN: unauthenticated('This key is unknown, expired or revoked.'),
  KEY_SECRET_AS_BEARER: unauthenticated(
    'This is a secret key. Send the public key as the bearer token and the secret key as X-API-Private-Key.',
  ),
  KEY_SECRET_MISSING: forbidden('This endpoint also requires the secret key, as X-API-Private-Key.'),
  KEY_SECRET_FOREIGN: forbidden('The secret key belongs to another merchant or mode than the public key.'),
  ORIGIN_FORBIDDEN: forbidden('This public key cannot be used from this website.'),
  KEY_NOT_FOUND: notFound('No key has this id.'),
  REFERENCE_MISSING: unacceptable('Send a reference, so that the request is safe to retry.'),
  KEY_ENDED: conflict('This key has expired or was revoked. Create a new one.'),
  KEY_ROTATED: conflict('This key has already been replaced. Rotate its replacement, or create another key.'),
  MERCHANT_NOT_FOUND: notFound('This merchant does not exist.'),
  MERCHANT_UNNAMED: malformed('Send the headers Scrip-Merchant and Scrip-Mode to select the merchant and the mode.'),
  ROLE_FORBIDDEN: forbidden('Your role does not allow this.'),
  MEMBER_NOT_FOUND: notFound('No staff member has this id.'),
  OWNER_LAST: conflict('A merchant needs at least one owner. Make someone else an owner first.'),
  MERCHANT_CODE_TAKEN: conflict('Another merchant uses this code.'),
  SANDBOX_ONLY: forbidden('Sandbox endpoints require a test key. This key is live.'),
  ACCENT_INVALID: unacceptable('Enter a colour as # and six hexadecimal digits, such as #0f4c3a.'),
  ADDRESS_TOO_LONG: unacceptable('Enter the address in at most 6 lines.'),
  TIME_ZONE_UNKNOWN: unacceptable('Enter a time zone name such as Africa/Lagos.'),
})
