import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Timeline, type TimelineEntry } from '../../ui/timeline.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { Status } from '../parts/status.tsx'
import { Screen } from '../shell/frame.tsx'
import { act, refresh, useKnown } from '../shell/request-dashboard.ts'
import type { OneDelivery } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { endpointsPath } from './endpoint-form.tsx'
import { nameFailure } from './name-failure.ts'
import { sayRefusal } from './say-refusal.ts'

const text = developers.webhooks

type DeliveryScreenProps = { readonly id: string; readonly eventId: string }

/** Every attempt to deliver an event to an endpoint. */
export function DeliveryScreen({ id, eventId }: DeliveryScreenProps): ReactNode {
  const path = `${endpointsPath}/${id}/deliveries/${eventId}`
  const known = useKnown<OneDelivery>(path)
  const { tell, shown } = useOutcome(sayRefusal)
  const replay = async () => {
    tell(await act(`${path}/replay`, {}), text.replayed)
    void refresh(path)
  }
  return (
    <Screen
      heading={known.data?.delivery.eventType ?? text.delivery}
      back={`/developers/webhooks/${id}`}
      acts={
        <Button kind="main" onClick={() => void replay()}>
          {text.replay}
        </Button>
      }
    >
      {shown}
      <Loaded known={known}>
        {({ delivery, attempts }) => (
          <>
            <Facts
              rows={[
                [text.state, <Status key="status" of={delivery.status} names={text.statuses} />],
                [text.time, <When key="time" at={delivery.createdAt} />],
                [developers.events.id, <code key="id">{delivery.eventId}</code>],
                ...(delivery.nextAttemptAt === ''
                  ? []
                  : [[text.nextAttempt, <When key="next" at={delivery.nextAttemptAt} />] as const]),
              ]}
            />
            <Card heading={text.attempts}>
              {attempts.length === 0 ? (
                <p className="soft">{text.noAttempts}</p>
              ) : (
                <Timeline entries={attempts.map(toEntry)} />
              )}
            </Card>
          </>
        )}
      </Loaded>
    </Screen>
  )
}

function toEntry({
  number,
  at,
  durationMs,
  statusCode,
  failure,
  excerpt,
}: OneDelivery['attempts'][number]): TimelineEntry {
  const isGood = statusCode >= 200 && statusCode < 300
  return {
    key: String(number),
    icon: isGood ? Check : X,
    tone: isGood ? 'good' : 'bad',
    title: text.attempt(number),
    end: <When at={at} />,
    detail: (
      <>
        <p>
          {nameFailure(statusCode === 0 ? failure : String(statusCode))}, {text.took(durationMs)}
        </p>
        {excerpt !== '' && (
          <pre className="code-block" role="region" aria-label={text.responseBody} tabIndex={0}>
            {excerpt}
          </pre>
        )}
      </>
    ),
  }
}
