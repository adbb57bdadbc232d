import { type SubmitEvent, useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, focusFirstInvalid } from '../ui/field.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import type { Failure } from './request-voucher.ts'
import { useIsWaiting, writeWhen } from './describe-failure.ts'
import { PageHeading } from '../ui/page-frame.tsx'
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

  const body = (
    <div className="form-body">
      <PageHeading>{words.pin.heading}</PageHeading>
      {isWaiting ? (
        <p role="alert">{words.pin.locked(writeWhen(failure.until))}</p>
      ) : (
        <>
          <p>{words.pin.lead}</p>
          <Field
            label={words.pin.label}
            face="secret"
            value={pin}
            onChange={({ target }) => change(target.value.replaceAll(/\D/g, '').slice(0, 4))}
            // Typing begins another attempt: the last one was cleared when it was sent.
            error={isShort ? words.pin.tooShort : pin === '' ? pinError(failure, isLoading) : ''}
            inputMode="numeric"
            autoComplete="off"
            enterKeyHint="go"
          />
        </>
      )}
    </div>
  )
  const stub = (
    <div className="form-stub">
      <Button kind="main" type="submit" disabled={isWaiting} aria-disabled={isLoading}>
        {isLoading ? words.loading : words.pin.act}
      </Button>
    </div>
  )
  return (
    <form onSubmit={submit} noValidate>
      <TicketPaper body={body} stub={stub} />
    </form>
  )
}

function pinError({ code }: Failure, isLoading: boolean): string {
  return code === 'VOUCHER_PIN_WRONG' && !isLoading ? words.pin.wrong : ''
}
