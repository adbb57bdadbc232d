import { en, type UiWords } from './words-en.ts'
import { fr } from './words-fr.ts'

/** The words of the shared components, in the language of the page, which its app sets. */
export function uiWords(): UiWords {
  return document.documentElement.lang === 'fr' ? fr : en
}
