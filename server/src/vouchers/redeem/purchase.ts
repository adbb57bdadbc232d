import { checkAmountForm } from '../../base/money.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { voucherError } from '../code/errors.ts'
import type { Facts } from './facts.ts'
import { normalizeAmount } from './price.ts'

/** What the shop says about an order and its customer. Rules of vouchers refer to it. */
export type Purchase = {
  /** The total of the order, in major units of the voucher's currency. */
  readonly total?: string | undefined
  readonly orderReference?: string | undefined
  readonly customerId?: string | undefined
  /** The email address, username or phone number of a user. */
  readonly userIdentifier?: string | undefined
}

type PurchaseBody = {
  readonly orderReference?: string
  readonly customerId?: string
  readonly userIdentifier?: string
}

/** Checks what does not depend on the voucher. Only the secret key can say who uses a voucher. */
export function readPurchase(body: PurchaseBody, { hasSecret }: Pick<MerchantCaller, 'hasSecret'>): Purchase {
  const { orderReference, customerId, userIdentifier } = body
  const total = digitsOf(body, 'purchaseAmount')
  if (total !== undefined) checkAmountForm(total, 'purchaseAmount')
  const named = customerId === undefined ? userIdentifier && 'userIdentifier' : 'customerId'
  if (named !== undefined && !hasSecret) throw voucherError('VOUCHER_PERSON_SECRET_NEEDED', { param: named })
  return { total, orderReference, customerId: customerId?.toLowerCase(), userIdentifier }
}

/** For the request fingerprint. Nothing without a purchase, so that a retry across an upgrade is the same request. */
export function printPurchase(facts: Facts, purchase: Purchase | undefined): string[] {
  const { total, orderReference = '', customerId = '', userIdentifier = '' } = purchase ?? {}
  const parts = [total === undefined ? '' : normalizeAmount(facts, total), orderReference, customerId, userIdentifier]
  return parts.every((part) => part === '') ? [] : ['purchase', ...parts]
}
