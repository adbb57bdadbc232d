import { readLanguage } from '../../ui/locale.ts'
import { enOfTeam } from './en-team.ts'
import { frOfTeam } from './fr-team.ts'

/** The texts about the team. They load with its screens. */
export const staffing = readLanguage() === 'fr' ? frOfTeam : enOfTeam
