import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import type { PaymentEvent } from '../shell/responses.ts'
import { When } from '../shell/shop.tsx'
import { Status } from '../parts/status.tsx'
import { nameOf, words } from '../words/words.ts'

/** The webhooks of a payment, and what became of them. */
export function Events({ events }: { readonly events: readonly PaymentEvent[] }): ReactNode {
  if (events.length === 0) return <p className="soft">{words.payment.noEvents}</p>
  return (
    <Card hasPadding={false}>
      <ul className="row-list">
        {events.map((event) => (
          <li key={event.id} className="event">
            <p className="event-head">
              <code>{event.type}</code>
              <When at={event.at} />
            </p>
            <Deliveries event={event} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Deliveries({ event: { deliveries } }: { readonly event: PaymentEvent }) {
  return (
    <div className="soft">
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
