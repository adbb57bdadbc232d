export type Language = 'en' | 'fr'

const languageKey = 'scrip-language'

/** The language that the user chose, or the browser's, or English. */
export function readLanguage(): Language {
  const chosen = localStorage.getItem(languageKey) ?? navigator.language
  return chosen.startsWith('fr') ? 'fr' : 'en'
}

/** Reloads the page: words, numbers and times are formatted for the language that it was loaded with. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(languageKey, language)
  location.reload()
}

/** The locale for numbers and times: the browser's, unless the user chose another language here. */
export const locale: string | undefined = navigator.language.startsWith(readLanguage()) ? undefined : readLanguage()
