import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import type { ShownVoucher, SoldVoucher } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { formatMoney } from '../shell/shop.tsx'
import { usePin } from '../parts/use-pin.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { words } from '../words/words.ts'
import { AmountFields } from './amount-fields.tsx'
import { isAmount } from './amounts.ts'
import { SaleRefusal } from './cash-notice.tsx'
import { bodyOfPayment, faultsOfPayment, isGivenAway, noPayment, type PaymentInput, priceOf } from './payment.ts'
import { changeOf, PaymentFields } from './payment-fields.tsx'
import { useRegister } from './register.ts'

type ReloadDialogProps = {
  readonly voucher: ShownVoucher
  /** With the change to give back. */
  readonly onDone: (sold: SoldVoucher, change: string) => void
  readonly onClose: () => void
}

/** Adds value to a voucher that the shop has sold. */
export function ReloadDialog({ voucher, onDone, onClose }: ReloadDialogProps): ReactNode {
  const reload = useReload(voucher, onDone)
  const { amount, payment, currency, faults, pin, state, isBusy } = reload
  const isConfirmed = isGivenAway(payment, amount)
  const label = isAmount(amount) ? selling.store.reloadAct(formatMoney(amount, currency)) : selling.store.reload
  return (
    <Dialog heading={selling.store.reloadHeading} isBusy={isBusy} onClose={onClose}>
      <form className="fields" noValidate onChange={reload.forget} onSubmit={reload.submit}>
        <AmountFields
          amount={reload.typed}
          currency={currency}
          isCurrencyFixed
          payment={payment}
          faults={faults}
          onAmount={reload.setTyped}
          onCurrency={() => undefined}
          onPayment={reload.setPayment}
        />
        <PaymentFields
          payment={payment}
          amount={amount}
          currency={currency}
          faults={faults}
          onChange={reload.setPayment}
        />
        {isConfirmed && <p className="soft">{selling.sell.confirmLead}</p>}
        {isConfirmed && pin.field}
        <Checking state={state} words={words.checking} />
        <SaleRefusal refusal={pin.otherRefusal} />
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : label}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function useReload(voucher: ShownVoucher, onDone: ReloadDialogProps['onDone']) {
  const currency = voucher.generatedCurrency.abbrev
  const { register } = useRegister()
  const [typed, setTyped] = useState('')
  const [payment, setPayment] = useState<PaymentInput>(noPayment)
  const acting = useAct<SoldVoucher>()
  const pin = usePin(acting)
  const amount = readDecimal(typed)
  const faults = useFaults({
    ...(!isAmount(amount) && { amount: words.refusals.AMOUNT_INVALID }),
    ...faultsOfPayment(payment, amount),
  })
  const isBusy = acting.state !== 'idle' || acting.done !== null
  const submit = onSubmit((form) => {
    const isConfirmed = isGivenAway(payment, amount)
    if (isBusy || !checkForm(form, faults.check, isConfirmed ? pin.check : () => true)) return
    const terms = { voucherCode: voucher.code, amount, ...bodyOfPayment(payment, amount, register?.id) }
    const body = { ...terms, ...(isConfirmed && { pin: pin.take() }) }
    acting.start(
      (referenceId) => act('/merchant-integrations-server/voucher-reloads', { ...body, referenceId }),
      (answer) =>
        'data' in answer && onDone(answer.data, changeOf(readDecimal(payment.received), priceOf(payment, amount))),
    )
  })
  const { state, forget } = acting
  return { typed, setTyped, amount, payment, setPayment, currency, faults, pin, state, forget, isBusy, submit }
}
