import { readLanguage, serverText } from '../ui/locale.ts'
import { groupDecimal } from '../ui/numbers.ts'
import type { Refusal } from '../ui/send-request.ts'
import { en } from './words-en.ts'
import { fr } from './words-fr.ts'

/** Every text of the page, in the reader's language. */
export const words = readLanguage() === 'fr' ? fr : en

/** The error in the reader's language where the catalogue has its code. Otherwise the server's message, or a general text. */
export function describeError({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? serverText(message) ?? words.refusals.INTERNAL
}

/** Such as VAT (20 %). The rate is always shown, because the sender chooses the name. */
export function describeTax({ name, rate }: { readonly name: string; readonly rate: string }): string {
  return `${name} (${groupDecimal(rate)}\u00a0%)`
}
