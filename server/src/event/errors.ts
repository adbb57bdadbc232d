import { conflict, defineErrors, malformed, notFound, unacceptable } from '../base/errors.ts'

export const eventError = defineErrors({
  CURSOR_UNKNOWN: malformed('This is no cursor of ours. Leave it out to read from the oldest event.'),
  WEBHOOK_URL_INVALID: unacceptable(
    'A webhook goes to an address such as https://shop.example/webhooks, without a user or password in it. Live ones need https.',
  ),
  WEBHOOK_TARGET_PRIVATE: unacceptable('This address is inside a private network.'),
  WEBHOOK_TYPE_UNKNOWN: unacceptable('There is no event of this type.'),
  WEBHOOK_ENDPOINTS_FULL: conflict('There are 50 webhook endpoints already. Delete one first.'),
  WEBHOOK_ENDPOINT_UNKNOWN: notFound('There is no webhook endpoint with this id.'),
  WEBHOOK_ENDPOINT_DISABLED: conflict('This webhook endpoint is switched off. Enable it first.'),
  WEBHOOK_DELIVERY_UNKNOWN: notFound('This event was not sent to this endpoint.'),
})
