import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import '../../ui/tabs.css'
import { tellNext, useOutcome } from '../../ui/use-outcome.tsx'
import { usePages } from '../parts/pages.tsx'
import { Status } from '../parts/status.tsx'
import { Screen } from '../shell/frame.tsx'
import { go, Link } from '../shell/place.ts'
import { act, refresh, refreshShown, remove, useKnown } from '../shell/request-dashboard.ts'
import type { Deliveries, Delivery, Endpoint, Healths } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { nameOf, words } from '../words/words.ts'
import { healthPath } from './developer-tabs.tsx'
import { EditEndpoint, endpointsPath } from './endpoint-form.tsx'
import { EndpointState, Trouble } from './endpoint-health.tsx'
import { sayRefusal } from './say-refusal.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { TaskDialog } from '../parts/task-dialog.tsx'

const text = developers.webhooks

/** A webhook endpoint with its deliveries. */
export function EndpointScreen({ id }: { readonly id: string }): ReactNode {
  const path = `${endpointsPath}/${id}`
  const known = useKnown<Endpoint>(path)
  const healths = useKnown<Healths>(healthPath)
  const health = healths.data?.endpoints.find(({ endpointId }) => endpointId === id)
  const { tell, shown } = useOutcome(sayRefusal)
  return (
    <Screen heading={known.data?.url ?? text.heading} back="/developers/webhooks">
      {shown}
      <Loaded known={known}>
        {(endpoint) => (
          <>
            <EndpointActs endpoint={endpoint} onTell={tell} />
            {health !== undefined && <Trouble health={health} onRetried={tell} />}
            {endpoint.disabledReason !== '' && (
              <Notice kind="wait">{nameOf(text.reasons, endpoint.disabledReason)}</Notice>
            )}
            <Facts
              rows={[
                [text.state, <EndpointState key="state" endpoint={endpoint} health={health} />],
                [text.events, endpoint.eventTypes.length === 0 ? text.allEvents : endpoint.eventTypes.join(', ')],
                ...(endpoint.description === '' ? [] : [[text.description, endpoint.description] as const]),
                [text.created, <When key="created" at={endpoint.createdAt} />],
              ]}
            />
            <DeliveryList id={id} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

type Task = 'edit' | 'rotate' | 'remove'

type EndpointActsProps = {
  readonly endpoint: Endpoint
  readonly onTell: ReturnType<typeof useOutcome>['tell']
}

function EndpointActs({ endpoint, onTell }: EndpointActsProps) {
  const { id, status } = endpoint
  const [task, setTask] = useState<Task | null>(null)
  const [secret, setSecret] = useState('')
  const path = `${endpointsPath}/${id}`
  const close = () => setTask(null)
  const isEnabled = status === 'enabled'
  const perform = async (where: string, body: object, said: string) => {
    onTell(await act(where, body), said)
    refreshShown()
  }
  return (
    <div className="acts">
      <Button
        kind="main"
        aria-disabled={!isEnabled}
        onClick={() => isEnabled && void perform(`${path}/test`, {}, text.tested)}
      >
        {text.test}
      </Button>
      <Button onClick={() => setTask('edit')}>{text.edit}</Button>
      <Button onClick={() => setTask('rotate')}>{text.rotate}</Button>
      <Button onClick={() => void perform(path, { isEnabled: !isEnabled }, isEnabled ? text.disabled : text.enabled)}>
        {isEnabled ? text.disable : text.enable}
      </Button>
      <Button kind="danger-quiet" onClick={() => setTask('remove')}>
        {text.remove}
      </Button>
      <EndpointDialog
        task={task}
        endpoint={endpoint}
        onClose={close}
        onSaved={() => {
          close()
          onTell({ data: null }, text.saved)
          void refresh(path)
        }}
        onRotated={(made) => {
          close()
          setSecret(made)
        }}
      />
      {secret !== '' && (
        <SecretDialog
          heading={text.secret}
          lead={text.secretLead}
          secret={secret}
          copy={text.copySecret}
          stored={text.stored}
          onClose={() => setSecret('')}
        />
      )}
    </div>
  )
}

type EndpointDialogProps = {
  readonly task: Task | null
  readonly endpoint: Endpoint
  readonly onClose: () => void
  readonly onSaved: () => void
  readonly onRotated: (secret: string) => void
}

function EndpointDialog({ task, endpoint, onClose, onSaved, onRotated }: EndpointDialogProps) {
  const path = `${endpointsPath}/${endpoint.id}`
  if (task === 'edit') return <EditEndpoint endpoint={endpoint} onClose={onClose} onDone={onSaved} />
  if (task === 'rotate')
    return (
      <TaskDialog<{ readonly secret: string }>
        describe={sayRefusal}
        heading={text.rotate}
        label={text.rotate}
        perform={() => act(`${path}/rotate-secret`, {})}
        onClose={onClose}
        onDone={({ secret }) => onRotated(secret)}
      >
        <p>{text.rotateLead}</p>
      </TaskDialog>
    )
  if (task === 'remove')
    return (
      <TaskDialog<object>
        describe={sayRefusal}
        heading={text.remove}
        label={text.remove}
        isDanger
        perform={() => remove(path)}
        onClose={onClose}
        onDone={() => {
          tellNext(text.removed)
          go('/developers/webhooks', 'replace')
        }}
      >
        <p>{text.removeLead}</p>
      </TaskDialog>
    )
  return null
}

function DeliveryList({ id }: { readonly id: string }) {
  const pages = usePages<Deliveries>(
    `developers/webhooks/${id}`,
    `${endpointsPath}/${id}/deliveries`,
    ['status'],
    ({ deliveries }) => deliveries.length === 0,
  )
  const status = pages.filters.get('status') ?? ''
  return (
    <section className="section">
      <h2>{text.deliveries}</h2>
      <nav className="tabs" aria-label={text.state}>
        {[['', words.any] as const, ...Object.entries(text.statuses)].map(([each, name]) => (
          <Link
            key={each}
            to={`/developers/webhooks/${id}${each === '' ? '' : `?status=${each}`}`}
            aria-current={each === status ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Loaded known={pages.known} placeholder={<SkeletonRows count={5} />}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty heading={text.noDeliveries} lead={text.noDeliveriesLead} />
          ) : (
            <Table
              caption={text.deliveriesCaption}
              columns={columnsFor(id)}
              rows={deliveries}
              keyOf={({ eventId }) => eventId}
            />
          )
        }
      </Loaded>
      {pages.pageLinks}
    </section>
  )
}

function columnsFor(id: string): readonly Column<Delivery>[] {
  return [
    {
      name: text.event,
      kind: 'head',
      cell: ({ eventId, eventType }) => (
        <Link className="cover-link" to={`/developers/webhooks/${id}/${eventId}`}>
          <code>{eventType}</code>
        </Link>
      ),
    },
    { name: text.state, kind: 'status', cell: ({ status }) => <Status of={status} names={text.statuses} /> },
    { name: text.attempts, kind: 'amount', cell: ({ attempts }) => attempts },
    {
      name: text.nextAttempt,
      kind: 'extra',
      cell: ({ nextAttemptAt }) => (nextAttemptAt === '' ? '' : <When at={nextAttemptAt} />),
    },
    { name: text.time, kind: 'second', cell: ({ createdAt }) => <When at={createdAt} /> },
  ]
}
