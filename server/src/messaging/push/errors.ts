import { defineErrors, unacceptable } from '../../base/errors.ts'

export const pushError = defineErrors({
  PUSH_ENDPOINT_INVALID: unacceptable('The endpoint must be the https address from the browser’s push subscription.'),
  PUSH_ENDPOINT_PRIVATE: unacceptable('The endpoint is in a private network.'),
  PUSH_KEYS_INVALID: unacceptable('The keys are not valid push subscription keys.'),
})
