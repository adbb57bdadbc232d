import { conflict, defineErrors, malformed, notFound, unacceptable } from '../../base/errors.ts'

export const eventError = defineErrors({
  CURSOR_UNKNOWN: malformed('The cursor is not valid. Omit it to start from the oldest event.'),
  EVENT_UNKNOWN: notFound('No event of the last 30 days is at this position.'),
  WEBHOOK_URL_INVALID: unacceptable(
    'Enter a URL such as https://shop.example/webhooks, without a username or password. Live endpoints require https.',
  ),
  WEBHOOK_TARGET_PRIVATE: unacceptable('This address is in a private network.'),
  WEBHOOK_TYPE_UNKNOWN: unacceptable('This event type does not exist.'),
  WEBHOOK_ENDPOINTS_FULL: conflict('You have 50 webhook endpoints. Delete one first.'),
  WEBHOOK_ENDPOINT_UNKNOWN: notFound('No webhook endpoint has this id.'),
  WEBHOOK_ENDPOINT_DISABLED: conflict('This webhook endpoint is disabled. Enable it first.'),
  WEBHOOK_DELIVERY_UNKNOWN: notFound('This event was not sent to this endpoint.'),
})
