import { readLanguage } from '../../ui/locale.ts'
import { enOfAudit } from './en-audit.ts'
import { frOfAudit } from './fr-audit.ts'

/** The texts about the audit log. They load with its screen. */
export const auditWords = readLanguage() === 'fr' ? frOfAudit : enOfAudit
