import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { TicketPaper } from '../ui/ticket-paper.tsx'
import type { Failure } from './ask-voucher.ts'
import { useIsWaiting, writeWhen } from './failure-words.ts'
import { PageHeading } from '../ui/page-frame.tsx'

type PinFormProps = {
  readonly failure: Failure
  readonly isAsking: boolean
  readonly onPin: (pin: string) => void
}

export function PinForm({ failure, isAsking, onPin }: PinFormProps) {
  const [pin, setPin] = useState('')
  const [isShort, setIsShort] = useState(false)
  const isWaiting = useIsWaiting(failure.code === 'VOUCHER_PIN_LOCKED' ? failure.until : null)

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsShort(pin.length < 4)
    if (pin.length < 4 || isAsking) return
    setPin('')
    onPin(pin)
  }

  const body = (
    <div className="form-body">
      <PageHeading>This voucher is locked</PageHeading>
      {isWaiting ? (
        <p role="alert">The pin was wrong too often. You can try again {writeWhen(failure.until)}.</p>
      ) : (
        <>
          <p>Whoever gave it to you also gave you a pin of four digits.</p>
          <Field
            label="Pin"
            face="secret"
            value={pin}
            onChange={({ target }) => setPin(target.value.replaceAll(/\D/g, '').slice(0, 4))}
            error={isShort ? 'The pin has four digits.' : pinError(failure, isAsking)}
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
      <Button kind="main" type="submit" disabled={isWaiting} aria-disabled={isAsking}>
        {isAsking ? 'Asking' : 'Unlock'}
      </Button>
    </div>
  )
  return (
    <form onSubmit={submit} noValidate>
      <TicketPaper body={body} stub={stub} />
    </form>
  )
}

function pinError({ code }: Failure, isAsking: boolean): string {
  return code === 'VOUCHER_PIN_WRONG' && !isAsking ? 'This is not the pin. Please try again.' : ''
}
