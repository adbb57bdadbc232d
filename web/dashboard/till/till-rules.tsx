import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { groupDecimal, readDecimal } from '../../ui/numbers.ts'
import type { ShownVoucher } from '../shell/responses.ts'
import { formatMoney } from '../shell/shop.tsx'
import { words } from '../words/words.ts'
import type { SaleInput } from './till-amount.tsx'

/** What the rules of a voucher ask about the purchase. */
export type Purchase = { readonly purchaseAmount: string; readonly orderReference: string }

export const noPurchase: Purchase = { purchaseAmount: '', orderReference: '' }

type RuleFieldsProps = {
  readonly voucher: ShownVoucher
  readonly purchase: Purchase
  readonly onPurchase: (purchase: Purchase) => void
}

/** The fields that the rules of the voucher need, and a reminder to check whose it is. Nothing for a voucher without rules. */
export function RuleFields({ voucher, purchase, onPurchase }: RuleFieldsProps): ReactNode {
  const { rules, generatedCurrency } = voucher
  if (rules === null) return null
  const currency = generatedCurrency.abbrev
  return (
    <>
      {rules.isBound && <Notice kind="wait">{words.till.boundTo(rules.userIdentifier)}</Notice>}
      {!isZero(rules.minimumPurchase) && (
        <Field
          label={words.till.purchaseIn(currency)}
          hint={words.till.purchaseHint(formatMoney(rules.minimumPurchase, currency))}
          inputMode="decimal"
          autoComplete="off"
          placeholder={groupDecimal('0.00')}
          value={purchase.purchaseAmount}
          onChange={({ target }) => onPurchase({ ...purchase, purchaseAmount: target.value })}
        />
      )}
      {rules.onePerOrder && (
        <Field
          label={words.till.order}
          hint={words.till.orderHint}
          autoComplete="off"
          maxLength={120}
          value={purchase.orderReference}
          onChange={({ target }) => onPurchase({ ...purchase, orderReference: target.value })}
        />
      )}
    </>
  )
}

/** The voucher, the amount and what its rules need, as the API takes them. The cashier has checked whose voucher it is. */
export function redemptionOf({ code, rules }: ShownVoucher, input: SaleInput): Readonly<Record<string, string>> {
  const { amount, lockPin, purchase } = input
  const { customerId = '', userIdentifier = '' } = rules ?? {}
  const purchaseAmount = readDecimal(purchase.purchaseAmount)
  const orderReference = purchase.orderReference.trim()
  return {
    voucherCode: code,
    amount,
    ...(lockPin !== '' && { lockPin }),
    ...(purchaseAmount !== '' && { purchaseAmount }),
    ...(orderReference !== '' && { orderReference }),
    ...(customerId !== '' && { customerId }),
    ...(userIdentifier !== '' && { userIdentifier }),
  }
}
