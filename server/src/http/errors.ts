import { defineErrors, internal, malformed, notFound, tooMany, unavailable } from '../base/errors.ts'

export const httpError = defineErrors({
  BODY_MALFORMED: malformed('The body is not valid JSON, names a key twice, or has a NUL in a text.'),
  BODY_TOO_LARGE: malformed('The body is larger than this endpoint takes.'),
  BODY_TYPE_UNKNOWN: malformed('Send the body as JSON, with content-type application/json.'),
  FIELD_INVALID: malformed('A field is missing, unknown or of the wrong form.'),
  ROUTE_NOT_FOUND: notFound('There is no such endpoint.'),
  RATE_LIMITED: tooMany('Too many requests. Wait as the Retry-After header says, then go on.'),
  STOPPING: unavailable('The server is about to stop. Ask again: another will answer.'),
  UNAVAILABLE: unavailable('The database is busy or cannot be reached. Ask again.'),
  INTERNAL: internal('Something went wrong on our side. The request id tells us where.'),
})
