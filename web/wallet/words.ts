import type { Refusal } from '../ui/send-request.ts'
import { type Language, readLanguage } from '../ui/locale.ts'
import { en, type Words } from './words-en.ts'
import { fr } from './words-fr.ts'

/** The words of the app, in the user's language. */
export const words: Words = readLanguage() === 'fr' ? fr : en

/** Each language in its own words. */
export const languageNames: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['fr', 'Français'],
]

/** The reason of a refusal in the user's language, or the server's message if the app has no words for it. */
export function describeError({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? (message === '' ? words.refusals.UNREACHABLE : message)
}
