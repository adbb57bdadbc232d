import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Refusal } from '../../ui/send-request.ts'
import type { Shift } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { useShop } from '../shell/shop.tsx'
import { selling } from '../words/selling.ts'
import { describeError } from '../words/words.ts'
import { OpenShiftDialog } from './open-shift.tsx'
import { nameRegister, type Register, shiftPath, useRegister } from './register.ts'

/** Before cash is taken or given: whether it is counted in a shift, and how to open one. */
export function CashNotice({ currency }: { readonly currency: string }): ReactNode {
  const { register, registers } = useRegister()
  if (register !== undefined) return <ShiftNotice key={register.id} register={register} currency={currency} />
  return registers.length === 0 ? null : <p className="soft">{selling.register.notChosen}</p>
}

function ShiftNotice({ register, currency }: { readonly register: Register; readonly currency: string }) {
  const { data } = useKnown<{ readonly shift: Shift | null }>(shiftPath(register))
  if (data === null) return null
  if (data.shift === null) return <MissingShift register={register} />
  if (data.shift.currency === currency) return null
  return <Notice kind="wait">{selling.shift.otherCurrency(data.shift.currency)}</Notice>
}

function MissingShift({ register }: { readonly register: Register }) {
  const { merchant } = useShop()
  const [isOpening, setIsOpening] = useState(false)
  // The server lets those who work at a till open shifts.
  const mayOpen = merchant.role !== 'accountant'
  return (
    <Notice kind="wait">
      <p>{selling.shift.missing(nameRegister(register))}</p>
      {mayOpen ? (
        <Button onClick={() => setIsOpening(true)}>{selling.shift.open}</Button>
      ) : (
        <p>{selling.shift.missingAccountant}</p>
      )}
      {isOpening && <OpenShiftDialog register={register} onClose={() => setIsOpening(false)} />}
    </Notice>
  )
}

/** Why a sale was refused. */
export function SaleRefusal({ refusal }: { readonly refusal: Refusal | null }): ReactNode {
  return refusal === null ? null : <Notice kind="error">{describeError(refusal)}</Notice>
}
