import { readLanguage } from '../ui/locale.ts'
import { en } from './words-en.ts'
import { fr } from './words-fr.ts'

/** Every text of the page, in the reader's language. */
export const words = readLanguage() === 'fr' ? fr : en
