import { useState, type ReactNode } from 'react'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import type { Outflow, Outflows } from '../shell/responses.ts'
import './approvals.css'
import { ApproveDialog, CancelDialog } from './approve.tsx'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import { Limits } from './limits.tsx'
import { SaleLimits } from './sale-limits.tsx'
import { approvalsNeeded, countApprovals } from './outflow.ts'
import { Money, Loaded, useShop, When } from '../shell/shop.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { describeError, words } from '../words/words.ts'

/** Requests that wait for approval, and the limits that require it. */
export function Approvals(): ReactNode {
  const known = useKnown<Outflows>('/merchant/outflows')
  const { tell, shown } = useOutcome(describeError)
  return (
    <Screen heading={words.approvals.heading}>
      {shown}
      <Loaded known={known}>
        {(waiting) => <Waiting waiting={waiting} onDone={(text) => tell({ data: null }, text)} />}
      </Loaded>
      <Limits />
      <SaleLimits />
    </Screen>
  )
}

type WaitingProps = { readonly waiting: Outflows; readonly onDone: (text: string) => void }
type Chosen = { readonly act: 'approve' | 'cancel'; readonly outflow: Outflow }

function Waiting({ waiting: { outflows, approvers }, onDone }: WaitingProps) {
  const { person } = useShop()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const dialog = {
    onClose: () => setChosen(null),
    onDone: (text: string) => {
      setChosen(null)
      onDone(text)
    },
  }
  const isShort = approvers < approvalsNeeded && outflows.some(({ needsApproval }) => needsApproval)
  return (
    <>
      {outflows.length === 0 ? (
        <Empty heading={words.approvals.none} lead={words.approvals.noneLead} />
      ) : (
        <>
          <p className="soft">{words.approvals.lead}</p>
          {isShort && <Notice>{words.approvals.tooFew}</Notice>}
          <Table
            caption={words.approvals.caption}
            columns={columnsFor(person.fullName, setChosen)}
            rows={outflows}
            keyOf={({ id }) => id}
          />
        </>
      )}
      {chosen?.act === 'approve' && <ApproveDialog outflow={chosen.outflow} {...dialog} />}
      {chosen?.act === 'cancel' && <CancelDialog outflow={chosen.outflow} {...dialog} />}
    </>
  )
}

/** The list has names only, so two people of one name look alike here. The server compares ids. */
function columnsFor(me: string, onChoose: (chosen: Chosen) => void): readonly Column<Outflow>[] {
  const isOwn = ({ requester }: Outflow): boolean => requester === me
  return [
    { name: words.approvals.type, kind: 'head', cell: ({ kind }) => words.approvals.kinds[kind] },
    { name: words.approvals.recipient, cell: ({ recipient }) => recipient },
    {
      name: words.approvals.requester,
      cell: ({ requester, createdAt }) => (
        <span className="approvals-lines">
          <span>{requester || words.approvals.apiKey}</span>
          <span className="soft">
            <When at={createdAt} />
          </span>
        </span>
      ),
    },
    {
      name: words.approvals.status,
      cell: (outflow) => <Progress outflow={outflow} isOwn={isOwn(outflow)} />,
    },
    { name: words.approvals.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
    { name: words.amount, kind: 'sum', cell: ({ amount, currency }) => <Money value={amount} code={currency} /> },
    {
      name: words.approvals.acts,
      kind: 'act',
      cell: (outflow) => (
        <span className="approvals-acts">
          {outflow.needsApproval && (
            <Button
              kind="tint"
              size="s"
              aria-disabled={isOwn(outflow)}
              aria-describedby={isOwn(outflow) ? reasonId(outflow) : undefined}
              onClick={() => isOwn(outflow) || onChoose({ act: 'approve', outflow })}
            >
              {words.approvals.approve}
            </Button>
          )}
          <Button kind="danger-quiet" size="s" onClick={() => onChoose({ act: 'cancel', outflow })}>
            {words.approvals.cancel}
          </Button>
        </span>
      ),
    },
  ]
}

function reasonId({ id }: Outflow): string {
  return `own-${id}`
}

/** The approvals and the waiting time that are still missing. */
function Progress({ outflow, isOwn }: { readonly outflow: Outflow; readonly isOwn: boolean }) {
  const { needsApproval, isRecipientNew, notBefore } = outflow
  return (
    <span className="approvals-lines approvals-progress">
      {needsApproval && <span>{words.approvals.count(countApprovals(outflow), approvalsNeeded)}</span>}
      {isRecipientNew && notBefore !== null && (
        <span>
          {words.approvals.newRecipient} <When at={notBefore} />
        </span>
      )}
      {!needsApproval && !isRecipientNew && <span>{words.approvals.leaving}</span>}
      {needsApproval && isOwn && (
        <span className="soft" id={reasonId(outflow)}>
          {words.approvals.own}
        </span>
      )}
    </span>
  )
}
