export type Language = 'en' | 'fr'

const languageKey = 'scrip-language'

/** The language that the user chose, or the browser's, or English. */
export function readLanguage(): Language {
  const chosen = localStorage.getItem(languageKey) ?? navigator.language
  return languageOf(chosen) === 'fr' ? 'fr' : 'en'
}

/** Reloads the page: words, numbers and times are formatted for the language that it was loaded with. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(languageKey, language)
  location.reload()
}

/**
 * The locale for numbers, times and names: the browser's with its region, if it is of the page's language. Not the default of
 * Intl, which is the language of the browser's menus and may be another one.
 */
export const locale: string = languageOf(navigator.language) === readLanguage() ? navigator.language : readLanguage()

/** The server's message, on an English page: the server writes English only. Otherwise undefined. */
export function serverText(message: string): string | undefined {
  return message !== '' && readLanguage() === 'en' ? message : undefined
}

function languageOf(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? ''
}
