import { defineErrors, tooMany, unavailable } from '../base/errors.ts'

export const printError = defineErrors({
  PRINT_BUSY: tooMany('Other documents are being printed. Try again in a few seconds.'),
  PRINT_TOO_SLOW: unavailable('The document took too long to print. Try again.'),
})
