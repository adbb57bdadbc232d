import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { readDecimal } from '../ui/decimal.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { OutflowLimits } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Dialog } from './dialog.tsx'
import { place } from './place.ts'
import { useOneTimeCode } from './use-one-time-code.tsx'
import { usePin } from './use-pin.tsx'
import { sayRefusal, words } from './words.ts'

const hoursMax = 720

type ChangeLimitsProps = {
  readonly limits: OutflowLimits
  readonly onClose: () => void
  readonly onDone: () => void
}

/** In test mode the owner's PIN confirms it. Real money takes the second factor. */
export function ChangeLimits({ limits, onClose, onDone }: ChangeLimitsProps) {
  const { currency } = limits
  const approval = useLimit(limits.approvalAbove)
  const daily = useLimit(limits.daily)
  const [hours, setHours] = useState(String(limits.newRecipientHours))
  const saving = useAct<unknown>()
  const { state, start } = saving
  const pin = usePin(saving)
  const oneTimeCode = useOneTimeCode(saving)
  const isTest = place?.mode === 'test'
  const confirmation = isTest ? pin : oneTimeCode
  const isBusy = state !== 'idle'
  const areHours = /^\d{1,3}$/.test(hours) && Number(hours) <= hoursMax
  const isReady = approval.isValid && daily.isValid && areHours && confirmation.isReady
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || !isReady) return
    const body = {
      ...{ approvalAbove: approval.wanted, daily: daily.wanted, newRecipientHours: Number(hours) },
      ...(isTest ? { pin: pin.take() } : { oneTimeCode: oneTimeCode.take() }),
    }
    start(async () => {
      const answer = await act('/merchant/outflow-limits', body)
      if (!('refusal' in answer)) onDone()
      return answer
    })
  }
  return (
    <Dialog heading={words.limits.change} isBusy={isBusy} onClose={onClose}>
      <p className="soft">{words.limits.lead}</p>
      <form className="fields" noValidate onSubmit={submit}>
        <Field
          label={words.limits.approvalField(currency)}
          hint={words.limits.approvalHint}
          {...approval.field}
          disabled={isBusy}
        />
        <Field
          label={words.limits.dailyField(currency)}
          hint={words.limits.dailyHint}
          {...daily.field}
          disabled={isBusy}
        />
        <Field
          label={words.limits.waitField}
          hint={words.limits.waitHint}
          error={areHours ? '' : words.limits.waitInvalid}
          inputMode="numeric"
          autoComplete="off"
          maxLength={3}
          value={hours}
          disabled={isBusy}
          onChange={(event) => setHours(event.target.value)}
        />
        {confirmation.field}
        <Checking state={state} words={words.checking} />
        {confirmation.otherRefusal !== null && <Notice kind="error">{sayRefusal(confirmation.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !isReady}>
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

/** An amount, or blank for none. */
function useLimit(limit: string) {
  const [typed, setTyped] = useState(limit === 'none' ? '' : limit)
  const amount = readDecimal(typed)
  const isValid = amount === '' || /^\d+(\.\d+)?$/.test(amount)
  return {
    isValid,
    wanted: amount === '' ? 'none' : amount,
    field: {
      inputMode: 'decimal',
      autoComplete: 'off',
      value: typed,
      error: isValid ? '' : words.refusals.AMOUNT_INVALID,
      onChange: (event: { readonly target: HTMLInputElement }) => setTyped(event.target.value),
    },
  } as const
}
