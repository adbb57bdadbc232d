import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Shift } from '../shell/responses.ts'
import { ShiftFacts } from '../parts/shift-facts.tsx'
import { SlipHead } from '../payments/slip-head.tsx'
import '../payments/receipt.css'
import { selling } from '../words/selling.ts'

type ClosedShiftProps = { readonly shift: Shift; readonly children: ReactNode }

/** What should have been in the drawer and what was, to be printed and kept with the cash. */
export function ClosedShift({ shift, children }: ClosedShiftProps): ReactNode {
  const { register, location, difference } = shift
  return (
    <div className="fields">
      {isZero(difference ?? '0') && <Notice kind="done">{selling.shift.noDifference}</Notice>}
      <div className="slip printed">
        <SlipHead />
        <p>{selling.report.shift(register, location)}</p>
        <ShiftFacts shift={shift} />
      </div>
      {children}
    </div>
  )
}
