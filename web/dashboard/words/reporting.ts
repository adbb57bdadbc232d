import { readLanguage } from '../../ui/locale.ts'
import { enOfReporting } from './en-reporting.ts'
import { frOfReporting } from './fr-reporting.ts'

/** The texts of the reports. They load with the reports and not with the till. */
export const reporting = readLanguage() === 'fr' ? frOfReporting : enOfReporting
