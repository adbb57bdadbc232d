import { developers } from '../words/developers.ts'
import { nameOf } from '../words/words.ts'

const text = developers.webhooks

/** A status, or the server's description of why there was none. Some have a code in parentheses. */
export function nameFailure(failure: string): string {
  if (/^\d{3}$/.test(failure)) return text.response(Number(failure))
  const [description = '', code] = failure.split(' (')
  const named = nameOf(text.failures, description)
  return code === undefined ? named : `${named} (${code}`
}
