import type { Refusal } from '../ui/send-request.ts'
import { readLanguage } from '../ui/locale.ts'
import { en } from './words-en.ts'
import { enOfApprovals } from './words-en-approvals.ts'
import { enOfSecondFactor } from './words-en-second-factor.ts'
import { enOfVouchers } from './words-en-vouchers.ts'
import { fr } from './words-fr.ts'
import { frOfApprovals } from './words-fr-approvals.ts'
import { frOfSecondFactor } from './words-fr-second-factor.ts'
import { frOfVouchers } from './words-fr-vouchers.ts'

/** Every text of the dashboard, in the user's language. */
export const words =
  readLanguage() === 'fr'
    ? { ...fr, ...frOfVouchers, ...frOfApprovals, ...frOfSecondFactor }
    : { ...en, ...enOfVouchers, ...enOfApprovals, ...enOfSecondFactor }

/** The message for a refusal: ours for a known code, otherwise the server's. */
export function describeError({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? (message === '' ? words.refusals.UNREACHABLE : message)
}

/** The name of a type, state or status. A value that is newer than this page is shown as it is. */
export function nameOf(names: Readonly<Record<string, string>>, key: string): string {
  return names[key] ?? key
}
