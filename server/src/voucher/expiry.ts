import type { Clock } from '../base/clock.ts'
import type { Db } from '../base/db.ts'
import { findEndsOfDays } from '../merchant/store.ts'
import { voucherError } from './errors.ts'

type ExpiryTools = { readonly pool: Db; readonly clock: Clock }
type Holder = { readonly merchantId: string }

/** From that moment on it cannot be used. */
export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}

const reopenedMs = 30 * 24 * 60 * 60 * 1_000

/** An expired voucher that gets value again can be used for thirty days more. */
export function reopenedUntil(at: Date): Date {
  return new Date(at.getTime() + reopenedMs)
}

/** When a voucher ends: at a time, or at the end of a date in its issuer's time zone. */
export async function readExpiry(tools: ExpiryTools, merchant: Holder, text: string | undefined) {
  if (text === undefined) return undefined
  const at = (await readExpiries(tools, merchant, [text])).get(text)
  if (at === undefined) throw voucherError('EXPIRY_INVALID', { param: 'expiresAt' })
  return at
}

/** The last day on which a voucher can be used, where its issuer is: 2031-12-31. */
export function lastDayOf(expiresAt: Date, timeZone: string): string {
  // Swedish writes a date as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(expiresAt.getTime() - 1))
}

/** Many at once. What is no expiry, or lies in the past, is left out. */
export async function readExpiries({ pool, clock }: ExpiryTools, { merchantId }: Holder, texts: readonly string[]) {
  const days = texts.filter((text) => dayForm.test(text) && isReal(text))
  const ends = days.length > 0 ? await findEndsOfDays(pool, days, merchantId) : new Map<string, Date>()
  const times = texts.filter((text) => timeForm.test(text) && isReal(text))
  const all = [...ends, ...times.map((text) => [text, new Date(text)] as const)]
  // PostgreSQL and JSON write a year of five digits differently.
  return new Map(all.filter(([, at]) => at > clock() && at.getUTCFullYear() <= 9999))
}

/** 2031-12-31. */
export const dayForm = /^\d{4}-\d\d-\d\d$/
/** RFC 3339. */
export const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

/** 31 April would be read as 1 May by one and refused by another. */
export function isReal(text: string): boolean {
  const date = text.slice(0, 10)
  const day = new Date(date)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}
