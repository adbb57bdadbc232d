import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { act, refresh, useAct } from '../shell/request-dashboard.ts'
import type { Shift } from '../shell/responses.ts'
import { useShop } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'
import { isAmountOrZero } from './amounts.ts'
import { nameRegister, type Register, shiftPath } from './register.ts'

type OpenShiftProps = { readonly register: Register; readonly onOpened?: () => void }

/** Opens a shift with the cash that is in the drawer. */
export function OpenShift({ register, onOpened }: OpenShiftProps): ReactNode {
  const { merchant } = useShop()
  const [typed, setTyped] = useState('')
  const [currency, setCurrency] = useState(merchant.homeCurrency)
  const { state, refusal, start, forget } = useAct<Shift>()
  const isBusy = state !== 'idle'
  const openingFloat = readDecimal(typed)
  const faults = useFaults(isAmountOrZero(openingFloat) ? {} : { float: words.refusals.AMOUNT_INVALID })
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, faults.check)) return
    start(async () => {
      const response = await act<Shift>('/merchant/shifts', { registerId: register.id, currency, openingFloat })
      // Also if another device has opened it meanwhile.
      await refresh(shiftPath(register))
      if (!('refusal' in response)) onOpened?.()
      return response
    })
  })
  return (
    <form className="fields" noValidate onChange={forget} onSubmit={submit}>
      <p className="soft">{selling.shift.openLead}</p>
      <div className="sell-two">
        <Field
          label={selling.shift.openingFloat}
          hint={selling.shift.openingFloatHint}
          error={faults.of('float')}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <CurrencyChoice value={currency} onChange={setCurrency} />
      </div>
      <Checking state={state} words={words.checking} />
      {refusal !== null && !isBusy && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isBusy}>
          {isBusy ? words.oneMoment : selling.shift.open}
        </Button>
      </div>
    </form>
  )
}

/** The same in front of a sale, which keeps what was entered. */
export function OpenShiftDialog({ register, onClose }: OpenShiftProps & { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog heading={`${selling.shift.open}, ${nameRegister(register)}`} onClose={onClose}>
      <OpenShift register={register} onOpened={onClose} />
    </Dialog>
  )
}
