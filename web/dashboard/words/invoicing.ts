import { readLanguage } from '../../ui/locale.ts'
import { enOfInvoices } from './en-invoices.ts'
import { frOfInvoices } from './fr-invoices.ts'

/** The texts about invoices. They load with their screens. */
export const invoicing = readLanguage() === 'fr' ? frOfInvoices : enOfInvoices
