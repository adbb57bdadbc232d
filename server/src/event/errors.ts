import { defineErrors } from '../base/errors.ts'

export const eventError = defineErrors({
  CURSOR_UNKNOWN: {
    kind: 'malformed',
    message: 'This is no cursor of ours. Leave it out to read from the oldest event.',
  },
  WEBHOOK_URL_INVALID: {
    kind: 'unacceptable',
    message:
      'A webhook goes to an address such as https://shop.example/webhooks, without a user or password in it. Live ones need https.',
  },
  WEBHOOK_TARGET_PRIVATE: { kind: 'unacceptable', message: 'This address is inside a private network.' },
  WEBHOOK_TYPE_UNKNOWN: { kind: 'unacceptable', message: 'There is no event of this type.' },
  WEBHOOK_ENDPOINTS_FULL: { kind: 'conflict', message: 'There are 50 webhook endpoints already. Delete one first.' },
  WEBHOOK_ENDPOINT_UNKNOWN: { kind: 'not_found', message: 'There is no webhook endpoint with this id.' },
  WEBHOOK_ENDPOINT_DISABLED: { kind: 'conflict', message: 'This webhook endpoint is switched off. Enable it first.' },
  WEBHOOK_DELIVERY_UNKNOWN: { kind: 'not_found', message: 'This event was not sent to this endpoint.' },
})
