import { readLanguage } from '../../ui/locale.ts'
import { enOfPalette } from './en-palette.ts'
import { frOfPalette } from './fr-palette.ts'

/** The texts of the command palette. They load with it. */
export const palette = readLanguage() === 'fr' ? frOfPalette : enOfPalette
