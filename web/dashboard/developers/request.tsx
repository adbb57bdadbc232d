import type { ReactNode } from 'react'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Screen } from '../shell/frame.tsx'
import { Link } from '../shell/place.ts'
import { useKnown } from '../shell/request-dashboard.ts'
import type { OneRequest } from '../shell/responses.ts'
import { Loaded, When } from '../shell/shop.tsx'
import { developers } from '../words/developers.ts'
import { JsonBlock } from './json-block.tsx'
import { ResponseStatus } from './requests.tsx'

const text = developers.requests

/** A request of the log with its bodies. */
export function RequestScreen({ id }: { readonly id: string }): ReactNode {
  const known = useKnown<OneRequest>(`/merchant/requests/${id}`)
  const heading = known.data === null ? developers.tabs.requests : `${known.data.method} ${known.data.route}`
  return (
    <Screen heading={heading} back="/developers/requests">
      <Loaded known={known}>
        {(request) => (
          <>
            <RequestFacts request={request} />
            <Body heading={text.request} body={request.requestBody} />
            <Body heading={text.response} body={request.responseBody} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

function RequestFacts({ request }: { readonly request: OneRequest }) {
  const { id, createdAt, status, errorCode, durationMs, reference, keyName, key, address } = request
  return (
    <Facts
      rows={[
        [text.status, <ResponseStatus key="status" status={status} />],
        ...(errorCode === ''
          ? []
          : [
              [
                text.error,
                <span key="error">
                  <code>{errorCode}</code>{' '}
                  <a className="link" href={errorPageOf(errorCode)} target="_blank" rel="noreferrer">
                    {text.help}
                  </a>
                </span>,
              ] as const,
            ]),
        [text.time, <When key="time" at={createdAt} />],
        [text.took, text.tookMs(durationMs)],
        ...(reference === ''
          ? []
          : [
              [
                text.reference,
                <Link key="reference" className="link" to={`/payments?search=${encodeURIComponent(reference)}`}>
                  <code>{reference}</code>
                </Link>,
              ] as const,
            ]),
        [
          text.key,
          <span key="key">
            {keyName} <code className="soft">{key.length > 24 ? `${key.slice(0, 12)}…` : key}</code>
          </span>,
        ],
        [text.address, <code key="address">{address}</code>],
        [text.id, <code key="id">{id}</code>],
      ]}
    />
  )
}

function errorPageOf(code: string): string {
  return `/docs/errors/${code.toLowerCase().replaceAll('_', '-')}`
}

function Body({ heading, body }: { readonly heading: string; readonly body: string }) {
  return (
    <Card heading={heading}>
      {body === '' ? <p className="soft">{text.noBody}</p> : <JsonBlock label={heading} text={body} />}
    </Card>
  )
}
