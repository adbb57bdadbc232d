import { formatMoney, parseMoney } from '../../base/money.ts'
import type { MerchantCaller } from '../../http/caller.ts'
import { exactNumber } from '../../http/exact-json.ts'
import { findShop } from '../../identity/merchant/store.ts'
import { findUser } from '../../identity/user/store.ts'
import { voucherError } from '../code/errors.ts'
import { findBrokenRule, rulesOf, type VoucherRules } from '../voucher/rules.ts'
import type { Voucher } from '../voucher/store.ts'
import { currencyOf, type Facts } from './facts.ts'
import { isOrderTaken } from './order-store.ts'
import { checkLock } from './pin.ts'
import type { RedemptionInput } from './price.ts'
import type { RedeemTools } from './redeem.ts'

type UseInput = Pick<RedemptionInput, 'code' | 'lockPin' | 'purchase' | 'into'> & {
  /** Of a redemption or a hold. */
  readonly reference?: string
}

/** Checks the PIN and the rules of a voucher that is to be redeemed, held or quoted. */
export async function checkUse(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  input: UseInput,
): Promise<void> {
  await checkLock(tools.checkPin, caller, voucher, input)
  const rules = rulesOf(voucher)
  if (rules !== null) await checkRules(tools, caller, facts, voucher, rules, input)
}

/** Reads only what the rules of this voucher need. */
async function checkRules(
  tools: RedeemTools,
  caller: MerchantCaller,
  facts: Facts,
  voucher: Voucher,
  rules: VoucherRules,
  input: UseInput,
): Promise<void> {
  const { pool } = tools
  const { environmentId } = caller
  const { total, orderReference } = input.purchase ?? {}
  const currency = currencyOf(facts, voucher)
  const at = tools.clock()
  const timeZone = rules.weekdays === undefined ? 'UTC' : (await findShop(pool, environmentId)).timeZone
  const isCounted = rules.onePerOrder === true && orderReference !== undefined
  const { reference } = input
  const broken = findBrokenRule(rules, {
    at,
    timeZone,
    isByBound: await isByBound(tools, caller, voucher, rules, input),
    purchase: total === undefined ? undefined : parseMoney(total, currency, 'purchaseAmount').minor,
    orderReference,
    isOrderTaken: isCounted && (await isOrderTaken(pool, { environmentId, orderReference, reference, at })),
  })
  switch (broken?.code) {
    case undefined:
      return
    case 'VOUCHER_NOT_VALID_YET':
      throw voucherError(broken.code, { validFrom: broken.validFrom })
    case 'VOUCHER_WRONG_WEEKDAY':
      throw voucherError(broken.code, { weekdays: broken.weekdays })
    case 'VOUCHER_MINIMUM_PURCHASE': {
      const least = formatMoney({ minor: broken.minimum, currency })
      throw voucherError(broken.code, { param: 'purchaseAmount', minimumPurchase: exactNumber(least) })
    }
    case 'VOUCHER_PURCHASE_MISSING':
      throw voucherError(broken.code, { param: 'purchaseAmount' })
    case 'VOUCHER_ORDER_MISSING':
    case 'VOUCHER_ONE_PER_ORDER':
      throw voucherError(broken.code, { param: 'orderReference' })
    case 'VOUCHER_BOUND':
      throw voucherError(broken.code)
  }
}

/** Whether the person that a voucher is bound to uses it, as the wallet or the secret key says. */
async function isByBound(
  { pool }: RedeemTools,
  caller: MerchantCaller,
  voucher: Voucher,
  { customerId, user }: VoucherRules,
  { purchase = {}, into }: UseInput,
): Promise<boolean> {
  // Other merchants have other customers.
  if (customerId !== undefined)
    return purchase.customerId === customerId && caller.environmentId === voucher.environmentId
  if (user === undefined) return false
  if (into !== undefined) return into.userId === user.id
  const { userIdentifier } = purchase
  return userIdentifier !== undefined && (await findUser(pool, caller.mode, userIdentifier))?.id === user.id
}
