import { readLanguage } from '../../ui/locale.ts'
import { enOfMoney } from './en-money.ts'
import { frOfMoney } from './fr-money.ts'

/** The texts about payouts, deposits to review and payment requests. They load with those screens. */
export const money = readLanguage() === 'fr' ? frOfMoney : enOfMoney
