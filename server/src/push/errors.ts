import { defineErrors, unacceptable } from '../base/errors.ts'

export const pushError = defineErrors({
  PUSH_ENDPOINT_INVALID: unacceptable('The endpoint has to be the https address that the browser was given.'),
  PUSH_ENDPOINT_PRIVATE: unacceptable('The endpoint is inside a private network.'),
  PUSH_KEYS_INVALID: unacceptable('These are not the keys that a browser makes.'),
})
