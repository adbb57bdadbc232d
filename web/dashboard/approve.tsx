import type { SubmitEvent } from 'react'
import { Button } from '../ui/button.tsx'
import { Checking } from '../ui/checking.tsx'
import { Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Outflow } from './answers.ts'
import { act, useAct } from './ask-dashboard.ts'
import { Dialog } from './dialog.tsx'
import { approvalsNeeded, countApprovals } from './outflow.ts'
import { Figures, sayMoney, When } from './shop.tsx'
import { usePin } from './use-pin.tsx'
import { sayRefusal, words } from './words.ts'

type OutflowDialogProps = {
  readonly outflow: Outflow
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}

export function ApproveDialog({ outflow, onClose, onDone }: OutflowDialogProps) {
  const { kind, reference, amount, currency, isRecipientNew, notBefore } = outflow
  const approving = useAct<unknown>()
  const { state, start } = approving
  const pin = usePin(approving)
  const isBusy = state !== 'idle'
  const money = sayMoney(amount, currency)
  const isLast = countApprovals(outflow) + 1 >= approvalsNeeded
  const isReplacement = kind === 'replacement'
  const { approvedOnce, approved, replaced, sent } = words.approvals
  const sayDone = !isLast ? approvedOnce : isRecipientNew ? approved : isReplacement ? replaced : sent
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || !pin.isReady) return
    const typed = pin.take()
    start(async () => {
      const answer = await act(`/merchant/outflows/${encodeURIComponent(reference)}/approve`, { pin: typed })
      if (!('refusal' in answer)) onDone(sayDone(money))
      return answer
    })
  }
  return (
    <Dialog heading={words.approvals.approveHeading} isBusy={isBusy} onClose={onClose}>
      <About outflow={outflow} />
      {!isLast ? (
        <p>{words.approvals.oneMore}</p>
      ) : isRecipientNew && notBefore !== null ? (
        <p>
          {words.approvals.leavesOn} <When at={notBefore} />.
        </p>
      ) : (
        <p>{isReplacement ? words.approvals.replacesNow : words.approvals.leavesNow}</p>
      )}
      <form className="fields" noValidate onSubmit={submit}>
        {pin.field}
        <Checking state={state} words={words.checking} />
        {pin.otherRefusal !== null && <Notice kind="error">{sayRefusal(pin.otherRefusal)}</Notice>}
        <div className="acts">
          <Button kind="main" type="submit" aria-disabled={isBusy || !pin.isReady}>
            {isBusy ? words.oneMoment : words.approvals.approveAct(money)}
          </Button>
          <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
            {words.close}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Nothing leaves by it, so the server asks for no PIN. */
export function CancelDialog({ outflow, onClose, onDone }: OutflowDialogProps) {
  const { kind, reference, amount, currency } = outflow
  const { state, refusal, start } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const cancel = () =>
    start(async () => {
      const path = `/merchant-integrations-server/outflows/${encodeURIComponent(reference)}/cancel`
      const answer = await act(path, {})
      if (!('refusal' in answer)) onDone(words.approvals.cancelled(sayMoney(amount, currency)))
      return answer
    })
  return (
    <Dialog heading={words.approvals.cancel} isBusy={isBusy} onClose={onClose}>
      <About outflow={outflow} />
      <p>{kind === 'replacement' ? words.approvals.replacementCancelLead : words.approvals.cancelLead}</p>
      <Checking state={state} words={words.checking} />
      {!isBusy && refusal !== null && <Notice kind="error">{sayRefusal(refusal)}</Notice>}
      <div className="acts">
        <Button kind="main" aria-disabled={isBusy} onClick={cancel}>
          {isBusy ? words.oneMoment : words.approvals.cancel}
        </Button>
        <Button aria-disabled={isBusy} onClick={() => isBusy || onClose()}>
          {words.approvals.keep}
        </Button>
      </div>
    </Dialog>
  )
}

function About({ outflow }: { readonly outflow: Outflow }) {
  const { kind, recipient, requester, amount, currency, reference, createdAt } = outflow
  return (
    <Facts
      rows={[
        [words.approvals.type, words.approvals.kinds[kind]],
        [words.amount, <Figures key="amount" value={amount} code={currency} />],
        ...(recipient === '' ? [] : [[words.approvals.recipient, recipient] as const]),
        [words.approvals.requester, requester || words.approvals.apiKey],
        [words.approvals.requested, <When key="requested" at={createdAt} />],
        [words.approvals.reference, <code key="reference">{reference}</code>],
      ]}
    />
  )
}
