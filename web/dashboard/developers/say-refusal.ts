import type { Refusal } from '../../ui/send-request.ts'
import { developers } from '../words/developers.ts'
import { describeError } from '../words/words.ts'

/** The message for a refusal, with those of this room. */
export function sayRefusal(refusal: Refusal): string {
  const known: Readonly<Record<string, string>> = developers.refusals
  return known[refusal.code] ?? describeError(refusal)
}
