import { Check, Circle, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type Address, Link, place, placeIn } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { ApiKeys, Checklist } from '../shell/responses.ts'
import { Loaded } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { DeveloperTabs } from './developer-tabs.tsx'
import { EndpointList } from './webhooks.tsx'

export function Overview(): ReactNode {
  const create = (
    <Link className="button" data-kind="main" to="/developers/keys?create">
      <Plus aria-hidden="true" />
      {developers.keys.create}
    </Link>
  )
  return (
    <DeveloperTabs tab="overview" acts={create}>
      <IntegrationChecklist />
      <EndpointList />
      <FirstRequest />
    </DeveloperTabs>
  )
}

type Step = Checklist['steps'][number]['step']

/** Where each step is done. */
const stepAddresses: Readonly<Record<Step, Address>> = {
  test_key: '/developers/keys?create',
  test_redemption: '/developers/sandbox',
  test_endpoint: '/developers/webhooks?create',
  test_delivery: '/developers/webhooks',
  live_key: '/developers/keys?create',
  live_endpoint: '/developers/webhooks?create',
  live_redemption: '/developers/requests',
}

function IntegrationChecklist() {
  const known = useKnown<Checklist>('/merchant/integration-checklist')
  return (
    <Loaded known={known}>
      {({ steps }) => (
        <Card
          heading={developers.checklist.heading}
          act={
            <span className="soft">
              {developers.checklist.progress(steps.filter(({ isDone }) => isDone).length, steps.length)}
            </span>
          }
          hasPadding={false}
        >
          <ol className="row-list">
            {steps.map((step) => (
              <ChecklistStep key={step.step} {...step} />
            ))}
          </ol>
        </Card>
      )}
    </Loaded>
  )
}

function ChecklistStep({ step, isDone }: Checklist['steps'][number]) {
  const { title, act } = developers.checklist.steps[step]
  const Icon = isDone ? Check : Circle
  const mode = step.startsWith('test') ? 'test' : 'live'
  return (
    <li className="step" data-done={isDone || undefined}>
      <Icon aria-hidden="true" />
      <span className="step-title">
        <span className="for-screen-readers">{isDone ? developers.checklist.done : developers.checklist.open} </span>
        {title}
      </span>
      {!isDone &&
        (mode === place?.mode ? (
          <Link className="link" to={stepAddresses[step]}>
            {act}
          </Link>
        ) : (
          <a className="link" href={placeIn(mode, '/developers')}>
            {developers.checklist.inOtherMode[mode]}
          </a>
        ))}
    </li>
  )
}

/** A request that can be run as it is, with the newest public key that works. */
function FirstRequest() {
  const { data } = useKnown<ApiKeys>('/merchant/keys')
  const found = data?.keys.find(({ kind, endsAt }) => kind === 'public' && endsAt === '')
  if (data === null) return null
  const request = `curl ${location.origin}/merchant-integrations/verify-voucher \\
  -H "Authorization: Bearer ${found?.shown ?? ''}" \\
  --json '{"voucherCode": "XXXX-XXXX-XXXX-XXXX"}'`
  return (
    <Card
      heading={developers.first.heading}
      act={
        found !== undefined && (
          <span>
            <CopyButton text={request} label={developers.first.copy} kind="bare" size="s" />
          </span>
        )
      }
    >
      {found === undefined ? (
        <p className="soft">{developers.first.noKey}</p>
      ) : (
        <pre className="code-block" role="region" aria-label={developers.first.heading} tabIndex={0}>
          {`${developers.first.comment}\n${request}`}
        </pre>
      )}
    </Card>
  )
}
