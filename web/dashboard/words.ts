import type { Refusal } from '../ui/ask-server.ts'
import { en } from './words-en.ts'
import { enOfApprovals } from './words-en-approvals.ts'
import { enOfVouchers } from './words-en-vouchers.ts'

/** Everything that the dashboard says. */
export const words = { ...en, ...enOfVouchers, ...enOfApprovals }

/** What the server refused, in plain words where there are some. */
export function sayRefusal({ code, message }: Refusal): string {
  const known: Readonly<Record<string, string>> = words.refusals
  return known[code] ?? (message === '' ? words.refusals.UNREACHABLE : message)
}

/** What a kind, a state or a status is called. One that is newer than this page is told as it is. */
export function nameOf(names: Readonly<Record<string, string>>, key: string): string {
  return names[key] ?? key
}
