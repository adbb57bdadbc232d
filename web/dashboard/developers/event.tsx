import type { ReactNode } from 'react'
import { Card, Row } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Status } from '../parts/status.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link, place } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { OneEvent } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { JsonBlock } from './json-block.tsx'

const text = developers.events

/** An event as it is delivered, and its deliveries. */
export function EventScreen({ position }: { readonly position: string }): ReactNode {
  const known = useKnown<OneEvent>(`/merchant/events/${position}`)
  return (
    <Screen heading={known.data?.event.type ?? developers.tabs.events} back="/developers/events">
      <Loaded known={known}>{(one) => <EventFacts one={one} />}</Loaded>
    </Screen>
  )
}

function EventFacts({ one }: { readonly one: OneEvent }) {
  const { event, deliveries } = one
  const json = writeEvent(one)
  return (
    <>
      <Facts
        rows={[
          [text.id, <code key="id">{event.id}</code>],
          [text.object, <code key="object">{event.objectId}</code>],
          [text.sequence, event.sequence],
          [text.time, <When key="time" at={event.timestamp} />],
        ]}
      />
      <Card heading={text.json} act={<CopyButton text={json} label={text.copy} kind="bare" size="s" />}>
        <JsonBlock label={text.json} text={json} />
      </Card>
      <Card heading={text.deliveries} hasPadding={deliveries.length === 0}>
        {deliveries.length === 0 ? (
          <p className="soft">{text.noDeliveries}</p>
        ) : (
          <ul className="row-list">
            {deliveries.map(({ endpointId, url, status }) => (
              <li key={endpointId}>
                <Row
                  title={
                    <Link className="cover-link" to={`/developers/webhooks/${endpointId}/${event.id}`}>
                      <code>{url}</code>
                    </Link>
                  }
                  end={<Status of={status} names={developers.webhooks.statuses} />}
                />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}

/** The body that webhooks and GET /events have. */
function writeEvent({ event: { id, type, timestamp, objectId, sequence }, data }: OneEvent): string {
  return JSON.stringify({ id, type, timestamp, mode: place?.mode, objectId, sequence, data })
}
