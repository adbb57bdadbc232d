import {
  conflict,
  defineErrors,
  internal,
  malformed,
  notFound,
  tooMany,
  unavailable,
  wrongMethod,
} from '../base/errors.ts'

export const httpError = defineErrors({
  BODY_MALFORMED: malformed('The body is not valid JSON, repeats a key, or contains a NUL character.'),
  BODY_TOO_LARGE: malformed('The body exceeds the size limit of this endpoint.'),
  BODY_TYPE_UNKNOWN: malformed('Send the body as JSON, with content-type application/json.'),
  FIELD_INVALID: malformed('A field is missing, unknown or malformed.'),
  ROUTE_NOT_FOUND: notFound('This endpoint does not exist.'),
  METHOD_NOT_ALLOWED: wrongMethod('This endpoint has other methods. The Allow header lists them.'),
  REFERENCE_TAKEN: conflict('This reference was already used for a different request.'),
  RATE_LIMITED: tooMany('Too many requests. Retry after the time in the Retry-After header.'),
  STOPPING: unavailable('The server is shutting down. Retry the request.'),
  UNAVAILABLE: unavailable('The database is busy or cannot be reached. Retry.'),
  INTERNAL: internal('Something went wrong on our side. Contact us with the request id.'),
})
