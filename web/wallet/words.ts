import type { Refusal } from '../ui/send-request.ts'
import { type Language, readLanguage, serverText } from '../ui/locale.ts'
import { en, type Words } from './words-en.ts'
import { fr } from './words-fr.ts'

/** The words of the app, in the user's language. */
export const words: Words = readLanguage() === 'fr' ? fr : en

/** Each language in its own words. */
export const languageNames: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['fr', 'Français'],
]

/** The reason of a refusal in the user's language. Without words for it, the server's message or a general text. */
export function describeError({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  if (message === '') return known[code] ?? words.refusals.UNREACHABLE
  return known[code] ?? serverText(message) ?? words.refusals.INTERNAL
}
