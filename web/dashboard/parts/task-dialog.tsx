import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Answer, Refusal } from '../../ui/send-request.ts'
import type { Act } from '../../ui/use-act.ts'
import { useAct } from '../shell/request-dashboard.ts'
import { describeError, words } from '../words/words.ts'
import { type ConfirmedBy, useConfirmation } from './use-confirmation.ts'
import { checkForm, onSubmit } from './use-faults.ts'
import { codeFieldOf, useOneTimeCode } from './use-one-time-code.tsx'

type FormProps<Data> = {
  readonly heading: string
  /** The label of the button. */
  readonly label: string
  readonly isDanger?: boolean
  readonly check?: () => boolean
  /** The message for a refusal, in a room with messages of its own. */
  readonly describe?: (refusal: Refusal) => string
  readonly onDone: (data: Data) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a dialog, for an action that is not confirmed. */
export function TaskDialog<Data>(
  props: FormProps<Data> & { readonly perform: () => Promise<Answer<Data>> },
): ReactNode {
  const acting = useAct<Data>()
  const submit = onSubmit((form) => {
    if (acting.state !== 'idle' || !checkForm(form, props.check ?? (() => true))) return
    acting.start(props.perform, (answer) => 'refusal' in answer || props.onDone(answer.data))
  })
  return <DialogForm {...props} acting={acting} refusal={acting.refusal} submit={submit} />
}

/** The same, confirmed with the PIN in test mode, and with a one-time code in live mode. */
export function ConfirmedDialog<Data>(
  props: FormProps<Data> & { readonly perform: (confirmed: ConfirmedBy) => Promise<Answer<Data>> },
): ReactNode {
  const acting = useAct<Data>()
  const confirmation = useConfirmation(acting)
  const submit = onSubmit((form) => {
    if (acting.state !== 'idle' || !checkForm(form, props.check ?? (() => true), confirmation.check)) return
    const confirmed = confirmation.take()
    acting.start(
      () => props.perform(confirmed),
      (answer) => 'refusal' in answer || props.onDone(answer.data),
    )
  })
  return (
    <DialogForm {...props} acting={acting} refusal={confirmation.otherRefusal} submit={submit}>
      {props.children}
      {confirmation.field}
    </DialogForm>
  )
}

type SecondFactor = { readonly oneTimeCode?: string }

/** The same, confirmed with the owner's second factor in both modes, because what it changes applies in live mode too. */
export function SecondFactorDialog(
  props: FormProps<unknown> & { readonly perform: (confirmed: SecondFactor) => Promise<Answer<unknown>> },
): ReactNode {
  const acting = useAct<unknown>()
  const code = useOneTimeCode(acting)
  const submit = onSubmit((form) => {
    if (acting.state !== 'idle' || !checkForm(form, props.check ?? (() => true), code.check)) return
    const confirmed = codeFieldOf(code.take())
    acting.start(
      () => props.perform(confirmed),
      (answer) => 'refusal' in answer || props.onDone(answer.data),
    )
  })
  return (
    <DialogForm {...props} acting={acting} refusal={code.otherRefusal} submit={submit}>
      {props.children}
      {code.field}
    </DialogForm>
  )
}

type DialogFormProps = Pick<
  FormProps<unknown>,
  'heading' | 'label' | 'isDanger' | 'describe' | 'onClose' | 'children'
> & {
  readonly acting: Pick<Act<unknown>, 'state' | 'forget'>
  readonly refusal: Refusal | null
  readonly submit: ReturnType<typeof onSubmit>
}

function DialogForm(props: DialogFormProps) {
  const {
    heading,
    label,
    isDanger = false,
    describe = describeError,
    onClose,
    children,
    acting,
    refusal,
    submit,
  } = props
  const isBusy = acting.state !== 'idle'
  return (
    <Dialog heading={heading} isBusy={isBusy} onClose={onClose}>
      <form className="fields" noValidate onChange={acting.forget} onSubmit={submit}>
        {children}
        <Checking state={acting.state} words={words.checking} />
        {refusal !== null && !isBusy && <Notice kind="error">{describe(refusal)}</Notice>}
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
