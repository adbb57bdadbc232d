import { locale } from './locale.ts'

const names = new Intl.DisplayNames(locale, { type: 'currency', fallback: 'none' })

/** The currency's name in the reader's language. Intl knows none for crypto: the server's name is the same in every language. */
export function nameCurrency(abbreviation: string, serverName: string): string {
  return (/^[A-Z]{3}$/.test(abbreviation) ? names.of(abbreviation) : undefined) ?? serverName
}
