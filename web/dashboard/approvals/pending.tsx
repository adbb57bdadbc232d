import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Outflows, PendingOutflow } from '../shell/responses.ts'
import './approvals.css'
import { useKnown } from '../shell/request-dashboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { formatMoney, When } from '../shell/shop.tsx'
import { words } from '../words/words.ts'

export function isPending(data: object): data is PendingOutflow {
  return 'status' in data && (data.status === 'PENDING' || data.status === 'CANCELED')
}

type RequestState = {
  readonly now: 'waiting' | 'over' | 'cancelled'
  readonly heading: string
  readonly expiresAt: string | undefined
}

/** The current state of the request, which another staff member may approve while it is on screen. */
function usePending({ id, status }: PendingOutflow): RequestState {
  const { data } = useKnown<Outflows>('/merchant/outflows')
  const outflow = data?.outflows.find((each) => each.id === id)
  const [wasSeen, setWasSeen] = useState(false)
  const isWaiting = outflow !== undefined
  if (isWaiting && !wasSeen) setWasSeen(true)
  // A list fetched before the request was made does not contain it yet.
  const now = status === 'CANCELED' ? 'cancelled' : wasSeen && !isWaiting ? 'over' : 'waiting'
  const heading = now === 'waiting' ? words.pending.heading : words.pending[now]
  return { now, heading, expiresAt: outflow?.expiresAt }
}

type PendingScreenProps = {
  readonly pending: PendingOutflow
  readonly kind: 'voucher' | 'batch'
  /** The address that the voucher is sent to. Empty: it is not sent. */
  readonly email?: string
  /** More buttons. */
  readonly children?: ReactNode
}

export function PendingScreen(props: PendingScreenProps): ReactNode {
  const request = usePending(props.pending)
  return (
    <Screen heading={request.heading} back="/vouchers">
      <Pending {...props} request={request} />
    </Screen>
  )
}

type PendingReplacementProps = {
  readonly pending: PendingOutflow
  /** Whether the old code works until the request is approved. */
  readonly isUsable: boolean
  readonly onClose: () => void
}

export function PendingReplacement({ pending, isUsable, onClose }: PendingReplacementProps): ReactNode {
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
  readonly request: RequestState
  readonly sayLead?: (money: string) => string
}

/** The next steps of a waiting request. The voucher has no code before approval. */
function Pending({ pending, request, kind, email = '', sayLead = words.pending.lead, children }: PendingProps) {
  const { now, expiresAt } = request
  const { then } = words.pending
  return (
    <>
      {now === 'waiting' ? (
        <>
          <p>{sayLead(formatMoney(pending.amount, pending.currency))}</p>
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
