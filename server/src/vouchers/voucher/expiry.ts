import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { findEndsOfDays } from '../../identity/merchant/store.ts'
import { voucherError } from '../code/errors.ts'

type ExpiryTools = { readonly pool: Db; readonly clock: Clock }
type Issuer = { readonly merchantId: string }

export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }, at: Date): boolean {
  return expiresAt !== null && expiresAt <= at
}

const reopenedMs = 30 * 24 * 60 * 60 * 1_000

/** An expired voucher that receives value stays usable for 30 more days. */
export function reopenedUntil(at: Date): Date {
  return new Date(at.getTime() + reopenedMs)
}

/** Parses an expiry: an RFC 3339 time, or a date, which means the end of that day in the issuer's time zone. */
export async function readExpiry(
  tools: ExpiryTools,
  merchant: Issuer,
  text: string | undefined,
): Promise<Date | undefined> {
  if (text === undefined) return undefined
  const at = (await readExpiries(tools, merchant, [text])).get(text)
  if (at === undefined) throw voucherError('EXPIRY_INVALID', { param: 'expiresAt' })
  return at
}

/** The last day on which a voucher can be used, in the issuer's time zone: 2031-12-31. */
export function lastDayOf(expiresAt: Date, timeZone: string): string {
  // The Swedish locale formats dates as ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(expiresAt.getTime() - 1))
}

/** Parses many expiries at once. Leaves out invalid and past ones. */
export async function readExpiries(
  { pool, clock }: ExpiryTools,
  { merchantId }: Issuer,
  texts: readonly string[],
): Promise<Map<string, Date>> {
  const days = texts.filter((text) => dayForm.test(text) && isReal(text))
  const ends = days.length > 0 ? await findEndsOfDays(pool, days, merchantId) : new Map<string, Date>()
  const times = texts.filter((text) => timeForm.test(text) && isReal(text))
  const all = [...ends, ...times.map((text) => [text, new Date(text)] as const)]
  // PostgreSQL and JSON format five-digit years differently.
  return new Map(all.filter(([, at]) => at > clock() && at.getUTCFullYear() <= 9999))
}

/** 2031-12-31. */
export const dayForm = /^\d{4}-\d\d-\d\d$/
/** RFC 3339. */
export const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/

/** Refuses dates such as 31 April, which JavaScript reads as 1 May and PostgreSQL rejects. */
export function isReal(text: string): boolean {
  const date = text.slice(0, 10)
  const day = new Date(date)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}
