import type { ReactNode } from 'react'
import { isZero } from '../../ui/decimal.ts'
import type { OnePayment, PaymentEvent } from '../shell/responses.ts'
import { Link } from '../shell/place.ts'
import { Money, When } from '../shell/shop.tsx'
import { nameStatus, Status } from '../parts/status.tsx'
import { nameOf, words } from '../words/words.ts'

type Entry = { readonly key: string; readonly at: string; readonly title: string; readonly detail: ReactNode }

/** A payment from its creation to its settlement, refunds and webhooks. */
export function Timeline({ one }: { readonly one: OnePayment }): ReactNode {
  const entries = entriesOf(one).toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <section className="payment-column">
      <h2>{words.payment.timeline}</h2>
      <ol className="timeline">
        {entries.map(({ key, at, title, detail }) => (
          <li key={key}>
            <p className="timeline-title">{title}</p>
            <div className="soft">
              {at !== '' && <When at={at} />}
              {detail}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function entriesOf({ payment, price, refunds, events }: OnePayment): Entry[] {
  const { createdAt, settledAt, endedAt, by, currency } = payment
  const who = by === '' ? words.payment.byApi : words.payment.createdBy(by)
  const entries: Entry[] = [{ key: 'created', at: createdAt, title: words.payment.created, detail: ` ${who}` }]
  if (price !== null && !isZero(price.charge))
    entries.push({
      key: 'charges',
      at: createdAt,
      title: words.payment.fee,
      detail: (
        <p>
          <Money value={price.charge} code={currency} /> {words.payment.chargedTo[price.chargedTo]}
        </p>
      ),
    })
  if (settledAt !== '') entries.push({ key: 'settled', at: settledAt, title: words.payment.settled, detail: '' })
  if (endedAt !== '') entries.push({ key: 'ended', at: endedAt, title: nameStatus(payment), detail: '' })
  for (const { reference, amount, createdAt: at, by: refunder, reason } of refunds)
    entries.push({
      key: reference,
      at,
      title: words.payment.refunded,
      detail: (
        <p>
          <Link to={`/payments/${encodeURIComponent(reference)}`}>
            <Money value={amount} code={currency} />
          </Link>{' '}
          {refunder === '' ? words.payment.byApi : words.payment.createdBy(refunder)}
          {reason !== '' && `${words.colon} ${reason}`}
        </p>
      ),
    })
  for (const event of events)
    entries.push({ key: event.id, at: event.at, title: words.payment.event, detail: <Deliveries event={event} /> })
  return entries
}

function Deliveries({ event: { type, deliveries } }: { readonly event: PaymentEvent }) {
  return (
    <div>
      <code>{type}</code>
      {deliveries.length === 0 && <p>{words.payment.noDeliveries}</p>}
      {deliveries.map(({ url, status, nextAttemptAt, attempts }) => (
        <details key={url} className="timeline-delivery">
          <summary>
            <Status of={status} names={words.payment.delivery} /> {words.payment.attempts(attempts.length)}
          </summary>
          <p className="timeline-url">{url}</p>
          <ol>
            {attempts.map(({ at, statusCode, failure, durationMs }) => (
              <li key={at}>
                <When at={at} />
                {words.colon}{' '}
                {statusCode === null || statusCode === 0
                  ? describeFailure(failure)
                  : words.payment.response(statusCode)}
                {`, ${words.payment.tookMs(durationMs)}`}
              </li>
            ))}
          </ol>
          {status === 'pending' && nextAttemptAt !== null && (
            <p>
              {words.payment.nextAttempt}
              {words.colon} <When at={nextAttemptAt} />
            </p>
          )}
        </details>
      ))}
    </div>
  )
}

/** The server describes a failed attempt in English, in some cases with a technical code in brackets. */
function describeFailure(failure: string): string {
  const [, text = '', code = ''] = /^(.*?)( \(\w+\))?$/.exec(failure) ?? []
  return text === '' ? words.payment.noResponse : `${nameOf(words.payment.failures, text)}${code}`
}
