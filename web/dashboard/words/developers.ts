import { readLanguage } from '../../ui/locale.ts'
import { enOfDevelopers } from './en-developers.ts'
import { frOfDevelopers } from './fr-developers.ts'

/** The texts of the room for developers. They load with it. */
export const developers = readLanguage() === 'fr' ? frOfDevelopers : enOfDevelopers
