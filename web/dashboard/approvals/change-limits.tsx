import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { Act } from '../../ui/use-act.ts'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Field, focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { OutflowLimits } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { place } from '../shell/place.ts'
import { codeFieldOf, useOneTimeCode } from '../parts/use-one-time-code.tsx'
import { type Confirmation, usePin } from '../parts/use-pin.tsx'
import { describeError, words } from '../words/words.ts'
import { type TypedField, useLimit } from './limit-input.ts'

const hoursMax = 720

type ChangeLimitsProps = {
  readonly limits: OutflowLimits
  readonly onClose: () => void
  readonly onDone: () => void
}

/** An owner confirms new limits with the PIN in test mode, and with a one-time code in live mode. */
export function ChangeLimits({ limits, onClose, onDone }: ChangeLimitsProps): ReactNode {
  const { state, isBusy, fields, confirmation, forget, submit } = useLimitsForm(limits, onDone)
  const { approval, daily, hours } = fields
  return (
    <Dialog heading={words.limits.change} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{words.limits.lead}</p>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        <Field
          label={words.limits.approvalField(limits.currency)}
          hint={words.limits.approvalHint}
          {...approval}
          disabled={isBusy}
        />
        <Field
          label={words.limits.dailyField(limits.currency)}
          hint={words.limits.dailyHint}
          {...daily}
          disabled={isBusy}
        />
        <Field label={words.limits.waitField} hint={words.limits.waitHint} {...hours} disabled={isBusy} />
        {confirmation.field}
        <Checking state={state} words={words.checking} />
        {confirmation.otherRefusal !== null && <Notice kind="error">{describeError(confirmation.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : words.limits.save}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type LimitsForm = {
  readonly state: Act<unknown>['state']
  readonly isBusy: boolean
  readonly fields: Readonly<Record<'approval' | 'daily' | 'hours', TypedField>>
  readonly confirmation: Confirmation
  readonly forget: () => void
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void
}

function useLimitsForm(limits: OutflowLimits, onDone: () => void): LimitsForm {
  const approval = useLimit(limits.approvalAbove)
  const daily = useLimit(limits.daily)
  const hours = useHours(limits.newRecipientHours)
  const saving = useAct<unknown>()
  const { state, start } = saving
  const pin = usePin(saving)
  const oneTimeCode = useOneTimeCode(saving)
  const isTest = place?.mode === 'test'
  const confirmation = isTest ? pin : oneTimeCode
  const isBusy = state !== 'idle'
  const isValid = approval.isValid && daily.isValid && hours.isValid
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (!confirmation.check() || !isValid) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const body = {
      approvalAbove: approval.limit,
      daily: daily.limit,
      newRecipientHours: hours.count,
      ...(isTest ? { pin: pin.take() } : codeFieldOf(oneTimeCode.take())),
    }
    start(async () => {
      const response = await act('/merchant/outflow-limits', body)
      if (!('refusal' in response)) onDone()
      return response
    })
  }
  const fields = { approval: approval.field, daily: daily.field, hours: hours.field }
  return { state, isBusy, fields, confirmation, forget: saving.forget, submit }
}

type HoursInput = { readonly isValid: boolean; readonly count: number; readonly field: TypedField }

function useHours(hours: number): HoursInput {
  const [typed, setTyped] = useState(String(hours))
  const isValid = /^\d{1,3}$/.test(typed) && Number(typed) <= hoursMax
  return {
    isValid,
    count: Number(typed),
    field: {
      inputMode: 'numeric',
      autoComplete: 'off',
      maxLength: 3,
      value: typed,
      error: isValid ? '' : words.limits.waitInvalid,
      onChange: ({ target }) => setTyped(target.value),
    },
  }
}
