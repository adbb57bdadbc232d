export type Language = 'en' | 'fr'

const languageKey = 'scrip-language'

/** What the reader chose, else what the browser is set to, else English. */
export function readLanguage(): Language {
  const chosen = localStorage.getItem(languageKey) ?? navigator.language
  return chosen.startsWith('fr') ? 'fr' : 'en'
}

/** Figures and times are written by what was loaded with the page: it is loaded again. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(languageKey, language)
  location.reload()
}

/** How the reader writes figures and times: as his browser does, unless he reads another language here. */
export const locale: string | undefined = navigator.language.startsWith(readLanguage()) ? undefined : readLanguage()
