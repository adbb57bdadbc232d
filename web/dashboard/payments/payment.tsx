import { Printer, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { isZero } from '../../ui/decimal.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Count } from '../../ui/pill.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { OnePayment, Payout } from '../shell/responses.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import { Screen } from '../shell/frame.tsx'
import '../parts/detail.css'
import './payment.css'
import { Events } from './payment-events.tsx'
import { factsOf } from './payment-facts.tsx'
import { Journals } from './payment-journals.tsx'
import { PaymentTimeline } from './payment-timeline.tsx'
import { EmailReceipt, Slip, soldOf } from './receipt.tsx'
import { RefundDialog } from './refund.tsx'
import { Loaded, Money, useShop } from '../shell/shop.tsx'
import { PaymentStatus } from '../parts/status.tsx'
import { nameOf, words } from '../words/words.ts'

export function OnePaymentScreen({ reference }: { readonly reference: string }): ReactNode {
  const known = useKnown<OnePayment>(`/merchant/payments/${encodeURIComponent(reference)}`)
  const type = known.data?.payment.type
  return (
    <Screen heading={type === undefined ? words.payment.heading : nameOf(words.types, type)} back="/payments">
      <Loaded known={known}>{(one) => <Payment one={one} />}</Loaded>
    </Screen>
  )
}

type Tab = 'overview' | 'events' | 'ledger'

function Payment({ one }: { readonly one: OnePayment }) {
  const { payment } = one
  const [tab, setTab] = useState<Tab>('overview')
  const [isRefunding, setIsRefunding] = useState(false)
  const [refunded, setRefunded] = useState('')
  return (
    <>
      <PaymentHead payment={payment} onRefund={() => setIsRefunding(true)} />
      <PayoutNotice status={payment.status} payout={one.payout} />
      <div role="status">{refunded !== '' && <Notice kind="done">{words.payment.refundDone(refunded)}</Notice>}</div>
      <Tabs
        label={words.payment.heading}
        shown={tab}
        onShow={setTab}
        tabs={[
          { name: 'overview', label: words.payment.overview, content: <Overview one={one} /> },
          {
            name: 'events',
            label: (
              <>
                {words.payment.events} <Count>{one.events.length}</Count>
              </>
            ),
            content: <Events events={one.events} />,
          },
          {
            name: 'ledger',
            label: words.payment.journal,
            content: <Journals journals={one.journals} payment={payment} />,
          },
        ]}
      />
      <div className="print-only">
        <Slip sold={soldOf(payment, one.journals)} />
      </div>
      {isRefunding && (
        <RefundDialog
          payment={payment}
          onClose={() => setIsRefunding(false)}
          onDone={(money) => {
            setIsRefunding(false)
            setRefunded(money)
          }}
        />
      )}
    </>
  )
}

type PaymentHeadProps = Pick<OnePayment, 'payment'> & { readonly onRefund: () => void }

function PaymentHead({ payment, onRefund }: PaymentHeadProps) {
  const { amount, currency, settledAt, direction } = payment
  const { merchant } = useShop()
  const canRefund = payment.refundable !== '' && merchant.role !== 'developer'
  return (
    <div className="payment-head">
      <div className="payment-amount">
        <Money
          value={amount}
          code={currency}
          size="large"
          sign={direction === 'out' ? '−' : ''}
          tone={settledAt === '' ? 'soft' : 'plain'}
        />
        <PaymentStatus payment={payment} />
      </div>
      <div className="acts">
        {canRefund && (
          <Button kind="danger-quiet" onClick={onRefund}>
            <Undo2 aria-hidden="true" />
            {words.payment.refund}
          </Button>
        )}
        {payment.canMailReceipt && (
          <Button onClick={() => print()}>
            <Printer aria-hidden="true" />
            {words.print}
          </Button>
        )}
      </div>
    </div>
  )
}

/** What to do about a payment that its network has not confirmed, or refused. */
function PayoutNotice({ status, payout }: { readonly status: string; readonly payout: Payout | null }) {
  if (payout === null) return null
  if (status === 'PROCESSING') return <Notice kind="wait">{words.onchain.processingLead(payout.network)}</Notice>
  return status === 'FAILED' ? <Notice kind="error">{words.onchain.failedLead}</Notice> : null
}

function Overview({ one }: { readonly one: OnePayment }) {
  const { merchant } = useShop()
  const { payment } = one
  const isDeveloper = merchant.role === 'developer'
  return (
    <div className="payment-columns">
      <div className="payment-column">
        <Breakdown payment={payment} />
        <Facts rows={factsOf(one, !isDeveloper)} />
        {payment.canMailReceipt && !isDeveloper && <EmailReceipt reference={payment.reference} />}
      </div>
      <Card heading={words.payment.timeline}>
        <PaymentTimeline one={one} />
      </Card>
    </div>
  )
}

/** From what the customer paid to what the shop received. */
function Breakdown({ payment }: Pick<OnePayment, 'payment'>) {
  const { charged, fee, net, currency, direction } = payment
  if (direction !== 'in' || net === '' || fee === '' || isZero(fee)) return null
  return (
    <Card heading={words.payment.breakdown}>
      <Facts
        kind="sum"
        rows={[
          [words.payment.paidByCustomer, <Money key="charged" value={charged} code={currency} />],
          [words.payment.fee, <Money key="fee" value={fee} code={currency} sign="−" />],
          [words.payment.added, <Money key="net" value={net} code={currency} />],
        ]}
      />
    </Card>
  )
}
