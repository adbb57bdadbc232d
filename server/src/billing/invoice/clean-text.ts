import { hiddenCharacters } from '../../base/hidden-characters.ts'
import { invoiceError } from './errors.ts'
import { addressLinesMax } from './limits.ts'

/** Text in one line: without hidden characters, and with single spaces. */
export function cleanLine(text: string): string {
  return text.replaceAll(hiddenCharacters, ' ').trim().replaceAll(/\s+/g, ' ')
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
