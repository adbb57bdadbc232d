import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { parseAmount } from '../../catalogue/currency/amount.ts'
import type { CatalogueCurrency } from '../../catalogue/currency/store.ts'
import type { Owner } from '../../http/caller.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { customerError } from '../../identity/customer/errors.ts'
import { isCustomer } from '../../identity/customer/store.ts'
import { findEndsOfDays } from '../../identity/merchant/store.ts'
import { userError } from '../../identity/user/errors.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { findAddressable } from '../../identity/user/store.ts'
import { voucherError } from '../code/errors.ts'
import { dayForm, isReal, timeForm } from './expiry.ts'
import { type VoucherRules, type Weekday, weekdays } from './rules.ts'
import type { rulesBody } from './wire.ts'

/** Rules as the client wrote them. */
export type RulesInput = {
  /** Major units. */
  readonly minimumPurchase?: string | undefined
  /** A date, which means its start in the issuer's time zone, or a time. */
  readonly validFrom?: string | undefined
  readonly weekdays?: readonly Weekday[] | undefined
  readonly onePerOrder?: boolean | undefined
  readonly customerId?: string | undefined
  /** The email address, username or phone number of a user. */
  readonly userIdentifier?: string | undefined
}

/** The rules of a request body. Undefined if there are none. A named user counts as looked up. */
export async function readRulesBody(
  { countUserLookups }: { readonly countUserLookups: CountUserLookups },
  request: FastifyRequest,
  body: Static<typeof rulesBody> | undefined,
): Promise<RulesInput | undefined> {
  if (body === undefined) return undefined
  const { validFrom, weekdays: days, onePerOrder, customerId, userIdentifier } = body
  if (userIdentifier !== undefined) await countUserLookups(request, userIdentifier)
  const rules = { minimumPurchase: digitsOf(body, 'minimumPurchase'), validFrom, weekdays: days, customerId }
  const isEmpty = Object.values({ ...rules, userIdentifier }).every((value) => value === undefined)
  return isEmpty && onePerOrder !== true ? undefined : { ...rules, userIdentifier, onePerOrder }
}

/** For the request fingerprint. Nothing without rules, so that a retry across an upgrade is the same request. */
export function printRules(rules: RulesInput | undefined): readonly unknown[] {
  if (rules === undefined) return []
  const { minimumPurchase = '', validFrom = '', weekdays: days = [], onePerOrder, customerId = '' } = rules
  const bound = [customerId.toLowerCase(), rules.userIdentifier ?? '']
  return ['rules', minimumPurchase, validFrom, inOrder(days), onePerOrder === true, ...bound]
}

type Terms = {
  readonly currency: CatalogueCurrency
  readonly expiresAt: Date | null | undefined
  readonly isOnchain: boolean
}

/** Checks rules and finds who they bind a voucher to. Null without rules. */
export async function readRules(
  tools: { readonly pool: Pool; readonly clock: Clock },
  issuer: Owner,
  input: RulesInput | undefined,
  { currency, expiresAt, isOnchain }: Terms,
): Promise<VoucherRules | null> {
  if (input === undefined) return null
  if (isOnchain) throw voucherError('RULES_ONCHAIN', { param: 'rules' })
  const { minimumPurchase: least, weekdays: days, onePerOrder } = input
  const validFrom = await readStart(tools.pool, issuer, input.validFrom)
  if (validFrom !== undefined && expiresAt != null && validFrom >= expiresAt)
    throw voucherError('RULES_START_INVALID', { param: 'rules.validFrom' })
  return {
    ...(least !== undefined && { minimumPurchase: readMinimum(least, currency) }),
    ...(validFrom !== undefined && { validFrom: validFrom.toISOString() }),
    ...(days !== undefined && { weekdays: inOrder(days) }),
    ...(onePerOrder === true && { onePerOrder }),
    ...(await findBound(tools.pool, issuer, input)),
  }
}

function inOrder(days: readonly Weekday[]): Weekday[] {
  return weekdays.filter((day) => days.includes(day))
}

function readMinimum(text: string, currency: CatalogueCurrency): string {
  return String(parseAmount(text, currency, 'rules.minimumPurchase').minor)
}

/** Parses a start: an RFC 3339 time, or a date, which means the start of that day in the issuer's time zone. */
async function readStart(pool: Pool, { merchantId }: Owner, text: string | undefined): Promise<Date | undefined> {
  if (text === undefined) return undefined
  const invalid = () => voucherError('RULES_START_INVALID', { param: 'rules.validFrom' })
  // Years before 1970 are typing errors, and the day before the first one has no date of four digits.
  if (!isReal(text) || text < '1970-01-02') throw invalid()
  if (timeForm.test(text)) return new Date(text)
  if (!dayForm.test(text)) throw invalid()
  const before = new Date(Date.parse(text) - 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
  return (await findEndsOfDays(pool, [before], merchantId)).get(before)
}

async function findBound(
  pool: Pool,
  { environmentId, mode, merchantId }: Owner,
  { customerId, userIdentifier }: RulesInput,
): Promise<Pick<VoucherRules, 'customerId' | 'user'>> {
  if (customerId !== undefined && userIdentifier !== undefined)
    throw voucherError('RULES_BOUND_TWICE', { param: 'rules.userIdentifier' })
  if (customerId !== undefined) {
    const id = customerId.toLowerCase()
    const isKnown = await withEnvironment(pool, environmentId, (tx) => isCustomer(tx, environmentId, id))
    if (!isKnown) throw customerError('CUSTOMER_NOT_FOUND', { param: 'rules.customerId' })
    return { customerId: id }
  }
  if (userIdentifier === undefined) return {}
  const user = await findAddressable(pool, { realm: mode, merchantId }, userIdentifier)
  if (user === undefined) throw userError('USER_NOT_FOUND', { param: 'rules.userIdentifier' })
  return { user: { id: user.id, identifier: userIdentifier.trim() } }
}
