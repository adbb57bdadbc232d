import { invoiceError } from './errors.ts'
import { addressLinesMax } from './limits.ts'

/** Control characters, and those that turn the direction of the text around them. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** Text in one line: without hidden characters, and with single spaces. */
export function cleanLine(text: string): string {
  return text.replaceAll(hidden, ' ').trim().replaceAll(/\s+/g, ' ')
}

/** The lines of a postal address, without empty ones. */
export function splitAddress(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map(cleanLine)
    .filter((line) => line !== '')
}

export function cleanAddress(text: string): string {
  const lines = splitAddress(text)
  if (lines.length > addressLinesMax) throw invoiceError('INVOICE_ADDRESS_INVALID', { param: 'senderAddress' })
  return lines.join('\n')
}
