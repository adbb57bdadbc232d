import type { ReactNode, SubmitEvent } from 'react'
import type { Answer } from '../../ui/send-request.ts'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { focusFirstInvalid } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useAct } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { usePin } from './use-pin.tsx'
import { describeError, words } from '../words/words.ts'

type PinDialogProps = {
  readonly heading: string
  /** Describes the action. */
  readonly children: ReactNode
  /** The label of the button. Default: the heading. */
  readonly label?: string
  /** The label of the button while the request runs. */
  readonly busy?: string
  readonly perform: (pin: string) => Promise<Answer<unknown>>
  readonly onClose: () => void
}

/** Confirms an action with the staff member's PIN. */
export function PinDialog(props: PinDialogProps): ReactNode {
  const { heading, children, label = heading, busy = words.oneMoment, perform, onClose } = props
  const acting = useAct<unknown>()
  const { state, start } = acting
  const pin = usePin(acting)
  const isBusy = state !== 'idle'
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    if (!pin.check()) {
      focusFirstInvalid(event.currentTarget)
      return
    }
    const typed = pin.take()
    start(() => perform(typed))
  }
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      {children}
      <form className="fields" noValidate onChange={acting.forget} onSubmit={submit}>
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{describeError(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy}>
            {isBusy ? busy : label}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
