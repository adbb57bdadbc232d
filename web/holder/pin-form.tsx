import { LockKeyhole } from 'lucide-react'
import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { DigitsField } from '../ui/digits-field.tsx'
import { focusFirstInvalid } from '../ui/field.tsx'
import type { Failure } from './request-voucher.ts'
import { useIsWaiting, writeWhen } from './describe-failure.ts'
import { FormTicket } from './form-ticket.tsx'
import { words } from './words.ts'

type PinFormProps = {
  readonly failure: Failure
  readonly isLoading: boolean
  readonly onPin: (pin: string) => void
}

export function PinForm({ failure, isLoading, onPin }: PinFormProps): ReactNode {
  const [pin, setPin] = useState('')
  const [isShort, setIsShort] = useState(false)
  const isWaiting = useIsWaiting(failure.code === 'VOUCHER_PIN_LOCKED' ? failure.until : null)

  const change = (digits: string) => {
    setPin(digits)
    setIsShort(false)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsShort(pin.length < 4)
    if (pin.length < 4) focusFirstInvalid(event.currentTarget)
    if (pin.length < 4 || isLoading) return
    setPin('')
    onPin(pin)
  }

  const act = (
    <Button kind="main" size="l" isWide type="submit" disabled={isWaiting} aria-disabled={isLoading}>
      {isLoading ? words.loading : words.pin.act}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate>
      <FormTicket icon={LockKeyhole} heading={words.pin.heading} act={act}>
        {isWaiting ? (
          <p role="alert">{words.pin.locked(writeWhen(failure.until))}</p>
        ) : (
          <>
            <p>{words.pin.lead}</p>
            <DigitsField
              label={words.pin.label}
              length={4}
              value={pin}
              onDigits={change}
              // Typing begins another attempt: the last one was cleared when it was sent.
              error={isShort ? words.pin.tooShort : pin === '' ? pinError(failure, isLoading) : ''}
            />
          </>
        )}
      </FormTicket>
    </form>
  )
}

function pinError({ code }: Failure, isLoading: boolean): string {
  return code === 'VOUCHER_PIN_WRONG' && !isLoading ? words.pin.wrong : ''
}
