import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readDecimal } from '../../ui/numbers.ts'
import type { Shift } from '../shell/responses.ts'
import { act, refresh, useAct } from '../shell/request-dashboard.ts'
import { checkForm, onSubmit, useFaults } from '../parts/use-faults.ts'
import { selling } from '../words/selling.ts'
import { describeError, words } from '../words/words.ts'
import { isAmountOrZero } from './amounts.ts'
import { type Register, shiftPath } from './register.ts'

type CloseShiftProps = {
  readonly shift: Shift
  readonly register: Register
  readonly onClosed: (shift: Shift) => void
}

/** Closes a shift with the counted cash. What was expected is shown afterwards, so that the count is not made to fit it. */
export function CloseShift({ shift, register, onClosed }: CloseShiftProps): ReactNode {
  const [typed, setTyped] = useState('')
  const [note, setNote] = useState('')
  const { state, refusal, start, forget } = useAct<Shift>()
  const isBusy = state !== 'idle'
  const counted = readDecimal(typed)
  const faults = useFaults(isAmountOrZero(counted) ? {} : { counted: words.refusals.AMOUNT_INVALID })
  const isNoteMissing = !isBusy && refusal?.code === 'SHIFT_NOTE_MISSING'
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, faults.check)) return
    start(
      () => act<Shift>(`/merchant/shifts/${shift.id}/close`, { counted, note: note.trim() }),
      (answer) => {
        if ('data' in answer) onClosed(answer.data)
        else focusFirstInvalid(form)
        void refresh(shiftPath(register))
      },
    )
  })
  return (
    <form className="fields" noValidate onChange={forget} onSubmit={submit}>
      <p className="soft">{selling.shift.closeLead}</p>
      <Field
        label={`${selling.shift.counted} (${shift.currency})`}
        error={faults.of('counted')}
        inputMode="decimal"
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Field
        label={selling.shift.note}
        hint={selling.shift.noteHint}
        error={isNoteMissing ? selling.shift.noteMissing : ''}
        autoComplete="off"
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <Checking state={state} words={words.checking} />
      {refusal !== null && !isBusy && !isNoteMissing && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" type="submit" aria-disabled={isBusy}>
          {isBusy ? words.oneMoment : selling.shift.close}
        </Button>
      </div>
    </form>
  )
}
