import { memo, type ReactNode } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import type { Operation } from './openapi.ts'
import { writeCurl } from './sample.ts'
import { ParameterFields, SchemaFields } from './schema-fields.tsx'
import { TryRequest } from './try-request.tsx'

export type Keys = { readonly publicKey: string; readonly secretKey: string }

export type SetOpened = (id: string, isOpen: boolean) => void

type OperationViewProps = {
  readonly operation: Operation
  readonly keys: Keys
  readonly isOpen: boolean
  readonly onOpened: SetOpened
}

/** One endpoint or event. There are more than a hundred: details are rendered when it is open, and again only if it changed. */
export const OperationView = memo(function OperationView(props: OperationViewProps): ReactNode {
  const { operation, keys, isOpen, onOpened } = props
  const { id, method, path, summary, isWebhook } = operation
  return (
    <details
      className="docs-operation"
      id={id}
      open={isOpen}
      onToggle={(event) => onOpened(id, event.currentTarget.open)}
    >
      <summary className="docs-summary">
        <span className="docs-summary-text">{summary}</span>
        <code className="docs-address">
          {!isWebhook && <span className="docs-method">{method}</span>} {path}
        </code>
      </summary>
      {isOpen && <Details operation={operation} keys={keys} />}
    </details>
  )
})

function Details({ operation, keys }: { readonly operation: Operation; readonly keys: Keys }) {
  const { description, parameters, body, response, responseType, isWebhook } = operation
  return (
    <div className="docs-details">
      {description !== '' && <p>{description}</p>}
      {!isWebhook && <p className="docs-soft">{describeKeys(operation)}</p>}
      {parameters.length > 0 && (
        <Part name="Parameters">
          <ParameterFields parameters={parameters} />
        </Part>
      )}
      {body !== undefined && (
        <Part name={isWebhook ? 'Event' : 'Body'}>
          <SchemaFields schema={body} />
        </Part>
      )}
      {!isWebhook && (
        <Part name="Response">
          {response === undefined || responseType !== 'application/json' ? (
            <p>{responseType === '' ? 'No content' : `A ${responseType} document`}</p>
          ) : (
            <SchemaFields schema={response} />
          )}
          <p>
            Errors are described <a href="/docs/errors">on their own page</a>.
          </p>
        </Part>
      )}
      {!isWebhook && (
        <Part name="Sample">
          <Sample text={writeCurl(operation, keys.publicKey, location.origin)} />
        </Part>
      )}
      {!isWebhook && responseType !== 'text/event-stream' && (
        <Part name="Try it">
          <TryRequest operation={operation} keys={keys} />
        </Part>
      )}
    </div>
  )
}

function describeKeys({ needsSecretKey }: Operation): string {
  return needsSecretKey
    ? 'Needs your public key and your secret key. Send it from your server only.'
    : 'Needs your public key.'
}

function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="docs-part">
      <h3>{name}</h3>
      {children}
    </section>
  )
}

function Sample({ text }: { readonly text: string }) {
  return (
    <>
      <pre className="docs-code" tabIndex={0} role="region" aria-label="Sample request">
        {text}
      </pre>
      <p>
        <CopyButton text={text} label="Copy command" />
      </p>
    </>
  )
}
