import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { checkForm, onSubmit } from './use-faults.ts'
import { codeFieldOf, useOneTimeCode } from './use-one-time-code.tsx'
import { useAct } from '../shell/request-dashboard.ts'
import { describeError, words } from '../words/words.ts'

type ConfirmedDialogProps = {
  readonly heading: string
  readonly label: string
  readonly isDanger?: boolean
  readonly check?: () => boolean
  readonly perform: (confirmation: { readonly oneTimeCode?: string }) => Promise<Answer<unknown>>
  readonly onDone: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a dialog that the owner confirms with the second factor, because what it changes applies in live mode too. */
export function ConfirmedDialog(props: ConfirmedDialogProps): ReactNode {
  const { heading, label, isDanger = false, check = () => true, perform, onDone, onClose, children } = props
  const acting = useAct<unknown>()
  const { state, start, forget } = acting
  const code = useOneTimeCode(acting)
  const isBusy = state !== 'idle'
  const submit = onSubmit((form) => {
    if (isBusy || !checkForm(form, check, code.check)) return
    const confirmation = codeFieldOf(code.take())
    start(
      () => perform(confirmation),
      (answer) => 'refusal' in answer || onDone(),
    )
  })
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      <form className="fields" noValidate onChange={forget} onSubmit={submit}>
        {children}
        {code.field}
        {code.otherRefusal !== null && <Notice kind="error">{describeError(code.otherRefusal)}</Notice>}
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
