import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { useAct } from '../shell/request-dashboard.ts'
import { describeError, words } from '../words/words.ts'
import { checkForm, onSubmit } from './use-faults.ts'

type TaskDialogProps = {
  readonly heading: string
  readonly label: string
  readonly isDanger?: boolean
  readonly check?: () => boolean
  readonly perform: () => Promise<Answer<unknown>>
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a dialog, for an action that needs no PIN. */
export function TaskDialog(props: TaskDialogProps): ReactNode {
  const { heading, label, isDanger = false, check, perform, onDone, onClose, children } = props
  const { state, refusal, start, forget } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, check ?? (() => true))) return
    start(perform, (answer) => 'refusal' in answer || onDone())
  })
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        {children}
        {refusal !== null && !isBusy && <Notice kind="error">{describeError(refusal)}</Notice>}
        <div className="acts">
          <Button kind={isDanger ? 'danger' : 'main'} type="submit" aria-disabled={isBusy}>
            {isBusy ? words.oneMoment : label}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
