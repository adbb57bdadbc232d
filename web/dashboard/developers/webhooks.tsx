import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useOutcome } from '../../ui/use-outcome.tsx'
import { go, Link, useSearchParams } from '../shell/place.ts'
import { refresh, useKnown } from '../shell/request-dashboard.ts'
import type { Endpoint, Health, Healths } from '../shell/responses.ts'
import { Loaded } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { DeveloperTabs, healthPath } from './developer-tabs.tsx'
import { EndpointState, HealthBars, Trouble, writeShare } from './endpoint-health.tsx'
import { AddEndpoint, endpointsPath, type MadeEndpoint } from './endpoint-form.tsx'
import { sayRefusal } from './say-refusal.ts'
import { SecretDialog } from './secret-dialog.tsx'

const text = developers.webhooks

export function Webhooks(): ReactNode {
  const [made, setMade] = useState<MadeEndpoint | null>(null)
  const isAdding = useSearchParams().has('create')
  const close = () => go('/developers/webhooks', 'replace')
  const add = (
    <Button kind="main" onClick={() => go('/developers/webhooks?create', 'replace')}>
      <Plus aria-hidden="true" />
      {text.add}
    </Button>
  )
  return (
    <DeveloperTabs tab="webhooks" acts={add}>
      <EndpointList />
      {isAdding && made === null && (
        <AddEndpoint
          onClose={close}
          onDone={(added) => {
            close()
            setMade(added)
            void refresh(endpointsPath)
            void refresh(healthPath)
          }}
        />
      )}
      {made !== null && (
        <SecretDialog
          heading={text.secret}
          lead={text.secretLead}
          secret={made.secret}
          copy={text.copySecret}
          stored={text.stored}
          // The page of the endpoint has the button that sends a test event.
          onClose={() => go(`/developers/webhooks/${made.endpoint.id}`)}
        />
      )}
    </DeveloperTabs>
  )
}

/** The endpoints with their health, each a link to its deliveries. */
export function EndpointList(): ReactNode {
  const known = useKnown<readonly Endpoint[]>(endpointsPath)
  const healths = useKnown<Healths>(healthPath)
  const { tell, shown } = useOutcome(sayRefusal)
  return (
    <>
      {shown}
      <Loaded known={known}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <Empty heading={text.none} lead={text.noneLead} />
          ) : (
            <Card heading={text.heading} act={<span className="soft">{text.day}</span>} hasPadding={false}>
              <ul className="hooks" aria-label={text.caption}>
                {endpoints.map((endpoint) => (
                  <OneEndpoint
                    key={endpoint.id}
                    endpoint={endpoint}
                    health={healths.data?.endpoints.find(({ endpointId }) => endpointId === endpoint.id)}
                    onRetried={tell}
                  />
                ))}
              </ul>
            </Card>
          )
        }
      </Loaded>
    </>
  )
}

type OneEndpointProps = {
  readonly endpoint: Endpoint
  readonly health: Health | undefined
  readonly onRetried: Parameters<typeof Trouble>[0]['onRetried']
}

function OneEndpoint({ endpoint, health, onRetried }: OneEndpointProps) {
  const { id, url, eventTypes } = endpoint
  return (
    <li className="hook">
      <div className="hook-line">
        <div className="hook-name">
          <Link className="cover-link" to={`/developers/webhooks/${id}`}>
            <code>{url}</code>
          </Link>
          <p className="soft">
            <EndpointState endpoint={endpoint} health={health} />{' '}
            {eventTypes.length === 0 ? text.allEvents : text.count(eventTypes.length)}
          </p>
        </div>
        {health !== undefined && health.attempts > 0 && (
          <>
            <HealthBars health={health} />
            <p className="hook-stat">
              <b>{writeShare(health)}</b> {text.delivered}
            </p>
            <p className="hook-stat">
              <b>{text.took(health.medianMs)}</b> {text.median}
            </p>
          </>
        )}
      </div>
      {health !== undefined && <Trouble health={health} onRetried={onRetried} />}
    </li>
  )
}
