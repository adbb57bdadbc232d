import { readLanguage } from '../../ui/locale.ts'
import { enOfSelling } from './en-selling.ts'
import { frOfSelling } from './fr-selling.ts'

/** The texts about selling vouchers. They load with the screens that sell and not with the till. */
export const selling = readLanguage() === 'fr' ? frOfSelling : enOfSelling
