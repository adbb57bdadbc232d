import type { Refusal } from '../../ui/send-request.ts'
import { readLanguage } from '../../ui/locale.ts'
import { en } from './en.ts'
import { enOfApprovals } from './en-approvals.ts'
import { enOfBrand } from './en-brand.ts'
import { enOfRefusals } from './en-refusals.ts'
import { enOfSecondFactor } from './en-second-factor.ts'
import { enOfVouchers } from './en-vouchers.ts'
import { fr } from './fr.ts'
import { frOfApprovals } from './fr-approvals.ts'
import { frOfBrand } from './fr-brand.ts'
import { frOfRefusals } from './fr-refusals.ts'
import { frOfSecondFactor } from './fr-second-factor.ts'
import { frOfVouchers } from './fr-vouchers.ts'

/** Every text of the dashboard, in the user's language. */
export const words =
  readLanguage() === 'fr'
    ? { ...fr, ...frOfVouchers, ...frOfApprovals, ...frOfSecondFactor, ...frOfBrand, ...frOfRefusals }
    : { ...en, ...enOfVouchers, ...enOfApprovals, ...enOfSecondFactor, ...enOfBrand, ...enOfRefusals }

/** The message for a refusal: ours for a known code, otherwise the server's if the page is in its language. */
export function describeError(refusal: Refusal): string {
  const { code, message } = refusal
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? (message === '' ? words.refusals.UNREACHABLE : words.refused(refusal))
}

/** The name of a type, state or status. A value that is newer than this page is shown as it is. */
export function nameOf(names: Readonly<Record<string, string>>, key: string): string {
  return names[key] ?? key
}
