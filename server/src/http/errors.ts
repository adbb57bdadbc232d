import { defineErrors } from '../base/errors.ts'

export const httpError = defineErrors({
  BODY_MALFORMED: {
    kind: 'malformed',
    message: 'The body is not valid JSON, names a key twice, or has a NUL in a text.',
  },
  BODY_TOO_LARGE: { kind: 'malformed', message: 'The body is larger than this endpoint takes.' },
  BODY_TYPE_UNKNOWN: { kind: 'malformed', message: 'Send the body as JSON, with content-type application/json.' },
  FIELD_INVALID: { kind: 'malformed', message: 'A field is missing, unknown or of the wrong form.' },
  ROUTE_NOT_FOUND: { kind: 'not_found', message: 'There is no such endpoint.' },
  RATE_LIMITED: { kind: 'too_many', message: 'Too many requests. Wait as the Retry-After header says, then go on.' },
  STOPPING: { kind: 'unavailable', message: 'The server is about to stop. Ask again: another will answer.' },
  UNAVAILABLE: { kind: 'unavailable', message: 'The database is busy or cannot be reached. Ask again.' },
  INTERNAL: { kind: 'internal', message: 'Something went wrong on our side. The request id tells us where.' },
})
