import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import type { Outflows, PendingOutflow } from './answers.ts'
import './approvals.css'
import { useKnown } from './ask-dashboard.ts'
import { Dialog } from './dialog.tsx'
import { Screen } from './frame.tsx'
import { Link } from './place.ts'
import { sayMoney, When } from './shop.tsx'
import { words } from './words.ts'

export function isPending(data: object): data is PendingOutflow {
  return 'status' in data && (data.status === 'PENDING' || data.status === 'CANCELED')
}

/** The request as it is now: another person may approve it while it is on the screen. */
function usePending({ id, status }: PendingOutflow) {
  const { data } = useKnown<Outflows>('/merchant/outflows')
  const outflow = data?.outflows.find((each) => each.id === id)
  const [wasSeen, setWasSeen] = useState(false)
  const isWaiting = outflow !== undefined
  useEffect(() => {
    if (isWaiting) setWasSeen(true)
  }, [isWaiting])
  // What was fetched before the request was made does not have it yet.
  const now = status === 'CANCELED' ? 'cancelled' : wasSeen && !isWaiting ? 'over' : 'waiting'
  const heading = now === 'waiting' ? words.pending.heading : words.pending[now]
  return { now, heading, expiresAt: outflow?.expiresAt } as const
}

type PendingScreenProps = {
  readonly pending: PendingOutflow
  readonly kind: 'voucher' | 'batch'
  /** The voucher is sent there. */
  readonly email?: string
  /** Further acts. */
  readonly children?: ReactNode
}

export function PendingScreen(props: PendingScreenProps) {
  const request = usePending(props.pending)
  return (
    <Screen heading={request.heading} back="/vouchers">
      <Pending {...props} request={request} />
    </Screen>
  )
}

type PendingReplacementProps = {
  readonly pending: PendingOutflow
  /** The old code can be used until the request is approved. */
  readonly isUsable: boolean
  readonly onClose: () => void
}

export function PendingReplacement({ pending, isUsable, onClose }: PendingReplacementProps) {
  const request = usePending(pending)
  return (
    <Dialog heading={request.heading} onClose={onClose}>
      <Pending
        pending={pending}
        request={request}
        kind="replacement"
        sayLead={isUsable ? words.pending.replacementLead : words.pending.blockedLead}
      >
        <Button onClick={onClose}>{words.close}</Button>
      </Pending>
    </Dialog>
  )
}

type PendingProps = Omit<PendingScreenProps, 'kind'> & {
  readonly kind: PendingScreenProps['kind'] | 'replacement'
  readonly request: ReturnType<typeof usePending>
  readonly sayLead?: (money: string) => string
}

/** What happens next to a request that waits. There is no code yet, so none is shown. */
function Pending({ pending, request, kind, email = '', sayLead = words.pending.lead, children }: PendingProps) {
  const { now, expiresAt } = request
  const { then } = words.pending
  return (
    <>
      {now === 'waiting' ? (
        <>
          <p>{sayLead(sayMoney(pending.amount, pending.currency))}</p>
          <section className="section">
            <h2>{words.pending.next}</h2>
            <ol className="pending-steps">
              <li>{words.pending.approve}</li>
              <li>{email === '' ? then[kind] : then.sent(email)}</li>
            </ol>
            {expiresAt !== undefined && (
              <p className="soft">
                {words.pending.expires} <When at={expiresAt} />.
              </p>
            )}
          </section>
        </>
      ) : (
        <p>{now === 'over' ? words.pending.overLead : words.pending.cancelledLead}</p>
      )}
      <div className="acts">
        <Link className="button" data-kind="main" to={now === 'waiting' ? '/approvals' : '/vouchers'}>
          {now === 'waiting' ? words.pending.open : words.pending.toVouchers}
        </Link>
        {children}
      </div>
    </>
  )
}
