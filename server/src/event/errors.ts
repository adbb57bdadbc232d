import { defineErrors } from '../base/errors.ts'

export const eventError = defineErrors({
  CURSOR_UNKNOWN: {
    kind: 'malformed',
    message: 'This is no cursor of ours. Leave it out to read from the oldest event.',
  },
})
