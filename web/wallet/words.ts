import type { Refusal } from '../ui/ask-server.ts'
import { readLanguage } from '../ui/locale.ts'
import { en } from './words-en.ts'
import { fr } from './words-fr.ts'

/** Everything that the app says, in the language of its reader. */
export const words = readLanguage() === 'fr' ? fr : en

/** What the server refused, in the reader's words where there are some. */
export function sayRefusal({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? (message === '' ? words.refusals.UNREACHABLE : message)
}
