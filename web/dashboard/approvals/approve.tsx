import type { ReactNode } from 'react'
import type { Answer } from '../../ui/send-request.ts'
import { Button } from '../../ui/button.tsx'
import { Checking } from '../../ui/checking.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Outflow } from '../shell/responses.ts'
import { act, useAct } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { approvalsNeeded, countApprovals } from './outflow.ts'
import { PinDialog } from '../parts/pin-dialog.tsx'
import { Money, formatMoney, When } from '../shell/shop.tsx'
import { describeError, words } from '../words/words.ts'

type OutflowDialogProps = {
  readonly outflow: Outflow
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}

export function ApproveDialog({ outflow, onClose, onDone }: OutflowDialogProps): ReactNode {
  const { kind, reference, amount, currency, isRecipientNew, notBefore } = outflow
  const money = formatMoney(amount, currency)
  const isLast = countApprovals(outflow) + 1 >= approvalsNeeded
  const isReplacement = kind === 'replacement'
  const { approvedOnce, approved, replaced, sent } = words.approvals
  const sayDone = !isLast ? approvedOnce : isRecipientNew ? approved : isReplacement ? replaced : sent
  const approve = async (pin: string): Promise<Answer<unknown>> => {
    const response = await act(`/merchant/outflows/${encodeURIComponent(reference)}/approve`, { pin })
    if (!('refusal' in response)) onDone(sayDone(money))
    return response
  }
  return (
    <PinDialog
      heading={words.approvals.approveHeading}
      label={words.approvals.approveAct(money)}
      perform={approve}
      onClose={onClose}
    >
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
    </PinDialog>
  )
}

/** Needs no PIN, because cancelling moves no money. */
export function CancelDialog({ outflow, onClose, onDone }: OutflowDialogProps): ReactNode {
  const { kind, reference, amount, currency } = outflow
  const { state, refusal, start } = useAct<unknown>()
  const isBusy = state !== 'idle'
  const cancel = () =>
    start(async () => {
      const path = `/merchant-integrations-server/outflows/${encodeURIComponent(reference)}/cancel`
      const response = await act(path, {})
      if (!('refusal' in response)) onDone(words.approvals.cancelled(formatMoney(amount, currency)))
      return response
    })
  return (
    <Dialog heading={words.approvals.cancel} isBusy={isBusy} onClose={onClose}>
      <About outflow={outflow} />
      <p>{kind === 'replacement' ? words.approvals.replacementCancelLead : words.approvals.cancelLead}</p>
      <Checking state={state} words={words.checking} />
      {!isBusy && refusal !== null && <Notice kind="error">{describeError(refusal)}</Notice>}
      <div className="acts">
        <Button kind="danger" aria-disabled={isBusy} onClick={cancel}>
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
        [words.amount, <Money key="amount" value={amount} code={currency} />],
        ...(recipient === '' ? [] : [[words.approvals.recipient, recipient] as const]),
        [words.approvals.requester, requester || words.approvals.apiKey],
        [words.approvals.requested, <When key="requested" at={createdAt} />],
        [words.approvals.reference, <code key="reference">{reference}</code>],
      ]}
    />
  )
}
