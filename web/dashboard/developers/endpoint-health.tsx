import { Ban, CircleDashed, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { Answer } from '../../ui/send-request.ts'
import { act, refresh } from '../shell/request-dashboard.ts'
import type { Endpoint, Health } from '../shell/responses.ts'
import { When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { words } from '../words/words.ts'
import { healthPath } from './developer-tabs.tsx'
import { nameFailure } from './name-failure.ts'

const text = developers.webhooks

type EndpointState = keyof typeof text.states

function stateOf({ status }: Endpoint, health: Health | undefined): EndpointState {
  if (status === 'disabled') return 'disabled'
  if (health === undefined) return 'idle'
  if (health.failed + health.retrying > 0) return 'failing'
  return health.attempts === 0 ? 'idle' : 'healthy'
}

type HealthProps = { readonly endpoint: Endpoint; readonly health: Health | undefined }

export function EndpointState({ endpoint, health }: HealthProps): ReactNode {
  const state = stateOf(endpoint, health)
  if (state === 'healthy') return <Pill tone="good">{text.states.healthy}</Pill>
  if (state === 'failing')
    return (
      <Pill tone="bad" icon={TriangleAlert}>
        {text.states.failing}
      </Pill>
    )
  return <Pill icon={state === 'disabled' ? Ban : CircleDashed}>{text.states[state]}</Pill>
}

/** A bar for each hour: its height is how many attempts there were, and its red part how many of them failed. */
export function HealthBars({ health: { hours } }: { readonly health: Health }): ReactNode {
  const most = Math.max(1, ...hours.map(({ attempts }) => attempts))
  const label = `${text.chart}${words.colon} ${hours.map(({ attempts, delivered }) => `${delivered}/${attempts}`).join(', ')}`
  return (
    <span className="health" role="img" aria-label={label}>
      {hours.map(({ attempts, delivered }, i) => (
        <span
          // The hours are the same 24 places each time.
          key={i}
          data-none={attempts === 0 || undefined}
          style={{ blockSize: `${attempts === 0 ? 8 : Math.max(12, Math.round((attempts / most) * 100))}%` }}
        >
          {attempts > delivered && (
            <b style={{ blockSize: `${Math.round(((attempts - delivered) / attempts) * 100)}%` }} />
          )}
        </span>
      ))}
    </span>
  )
}

/** 99.6 %, rounded down so that 100 % means all. */
export function writeShare({ attempts, delivered }: Health): string {
  return attempts === 0 ? '–' : words.home.percent(Math.floor((delivered / attempts) * 100))
}

const monthMs = 30 * 24 * 60 * 60 * 1_000

type TroubleProps = {
  readonly health: Health
  readonly onRetried: (answer: Answer<unknown>, said: string) => void
}

/** Failed deliveries, with the cause, the next attempt and a button. */
export function Trouble({ health, onRetried }: TroubleProps): ReactNode {
  const [isBusy, setIsBusy] = useState(false)
  const { endpointId, failed, retrying, lastFailure, nextAttemptAt } = health
  if (failed + retrying === 0) return null
  const retry = async () => {
    setIsBusy(true)
    const since = new Date(Date.now() - monthMs).toISOString()
    const answer = await act<{ replayed: number }>(`/webhook-endpoints/${endpointId}/replay-failed`, { since })
    setIsBusy(false)
    onRetried(answer, 'refusal' in answer ? '' : text.retried(answer.data.replayed))
    void refresh(healthPath)
  }
  return (
    <Notice kind="error">
      <p>
        {text.trouble(failed + retrying, nameFailure(lastFailure))}
        {nextAttemptAt !== '' && (
          <>
            {` ${text.nextAttempt}${words.colon} `}
            <When at={nextAttemptAt} />
          </>
        )}
      </p>
      {failed > 0 && (
        <Button size="s" aria-disabled={isBusy} onClick={() => isBusy || void retry()}>
          {text.retryFailed}
        </Button>
      )}
    </Notice>
  )
}
