import { readLanguage } from '../../ui/locale.ts'
import { enOfCustomers } from './en-customers.ts'
import { frOfCustomers } from './fr-customers.ts'

/** The texts about customers. They load with their screens. */
export const customerWords = readLanguage() === 'fr' ? frOfCustomers : enOfCustomers
