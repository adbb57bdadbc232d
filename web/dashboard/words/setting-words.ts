import { readLanguage } from '../../ui/locale.ts'
import { enOfSettings } from './en-settings.ts'
import { frOfSettings } from './fr-settings.ts'

/** The texts about the settings of the shop. They load with their screen. */
export const settingWords = readLanguage() === 'fr' ? frOfSettings : enOfSettings
