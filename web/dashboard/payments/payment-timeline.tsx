import { Ban, Check, CircleX, Coins, Plus, Undo2, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import { Timeline, type TimelineEntry } from '../../ui/timeline.tsx'
import type { OnePayment, PaymentEvent } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { nameStatus } from '../parts/status.tsx'
import { words } from '../words/words.ts'

type Entry = Omit<TimelineEntry, 'end'> & { readonly at: string }

/** A payment from its creation to its settlement, refunds and webhooks. */
export function PaymentTimeline({ one }: { readonly one: OnePayment }): ReactNode {
  const entries = [...stepsOf(one), ...refundsOf(one), ...one.events.map(eventEntry)].toSorted((a, b) =>
    a.at.localeCompare(b.at),
  )
  return <Timeline entries={entries.map((entry) => ({ ...entry, end: <When at={entry.at} /> }))} />
}

function stepsOf({ payment, price }: OnePayment): Entry[] {
  const { createdAt, settledAt, endedAt, by, currency } = payment
  const steps: Entry[] = [
    { key: 'created', at: createdAt, icon: Plus, title: words.payment.created, detail: describeWho(by) },
  ]
  if (price !== null && !isZero(price.charge))
    steps.push({
      key: 'charges',
      at: createdAt,
      icon: Coins,
      title: words.payment.fee,
      detail: (
        <>
          <Money value={price.charge} code={currency} /> {words.payment.chargedTo[price.chargedTo]}
        </>
      ),
    })
  if (settledAt !== '')
    steps.push({ key: 'settled', at: settledAt, icon: Check, tone: 'good', title: words.payment.settled })
  if (endedAt !== '') {
    const icon = payment.status === 'CANCELED' ? Ban : CircleX
    steps.push({ key: 'ended', at: endedAt, icon, tone: 'bad', title: nameStatus(payment) })
  }
  return steps
}

function refundsOf({ payment: { currency }, refunds }: OnePayment): Entry[] {
  return refunds.map(({ reference, amount, createdAt, by, reason }) => ({
    key: reference,
    at: createdAt,
    icon: Undo2,
    title: words.payment.refunded,
    detail: (
      <>
        <Link to={`/payments/${encodeURIComponent(reference)}`}>
          <Money value={amount} code={currency} />
        </Link>{' '}
        {describeWho(by)}
        {reason !== '' && `${words.colon} ${reason}`}
      </>
    ),
  }))
}

/** Webhooks have a tab of their own with every attempt. */
function eventEntry({ id, at, type, deliveries }: PaymentEvent): Entry {
  const hasFailed = deliveries.some(({ status }) => status === 'failed')
  return {
    key: id,
    at,
    icon: Webhook,
    tone: hasFailed ? 'bad' : 'plain',
    title: words.payment.event,
    detail: <code>{type}</code>,
  }
}

function describeWho(by: string): string {
  return by === '' ? words.payment.byApi : words.payment.createdBy(by)
}
