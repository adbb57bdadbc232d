import { type ReactNode, type SubmitEvent, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { limitsOf, type Operation, type Parameter } from './openapi.ts'
import type { Keys } from './operation-view.tsx'
import { addressOf, sampleBody, sampleValues } from './sample.ts'

/** Headers are for programs: a request from this page is sent once. */
const isInAddress = ({ in: place }: Parameter): boolean => place !== 'header'

type Result = { readonly status: string; readonly body: string }

/** Sends a request to this server. The content security policy of the page refuses any other. */
export function TryRequest({ operation, keys }: { readonly operation: Operation; readonly keys: Keys }): ReactNode {
  const [values, setValues] = useState(() => sampleValues(operation))
  const [body, setBody] = useState(() => sampleBody(operation))
  const [result, setResult] = useState<Result | null>(null)
  const [isSending, setIsSending] = useState(false)

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    setIsSending(true)
    void send(operation, addressOf(operation, values), body, keys).then((received) => {
      setResult(received)
      setIsSending(false)
    })
  }
  return (
    <form className="docs-try" onSubmit={submit} noValidate>
      {operation.parameters.filter(isInAddress).map(({ name, schema }) => (
        <Field
          key={name}
          label={name}
          hint={limitsOf(schema)}
          value={values[name] ?? ''}
          onChange={({ target }) => setValues({ ...values, [name]: target.value })}
          spellCheck={false}
        />
      ))}
      {operation.body !== undefined && <BodyField value={body} onChange={setBody} />}
      {operation.needsSecretKey && keys.secretKey === '' && (
        <p className="docs-soft">Enter your secret key at the top of the page first.</p>
      )}
      {keys.publicKey.startsWith('pk_live') && <Notice>This key is live: requests move real money.</Notice>}
      <p>
        <Button kind="main" type="submit" aria-disabled={isSending}>
          {isSending ? 'One moment' : 'Send request'}
        </Button>
      </p>
      <div role="status">
        {result !== null && (
          <>
            <p className="docs-result">{result.status}</p>
            <pre className="docs-code" tabIndex={0}>
              {result.body}
            </pre>
          </>
        )}
      </div>
    </form>
  )
}

type BodyFieldProps = { readonly value: string; readonly onChange: (value: string) => void }

function BodyField({ value, onChange }: BodyFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        Body
      </label>
      <textarea
        id={id}
        className="docs-body"
        rows={Math.min(16, value.split('\n').length + 1)}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        spellCheck={false}
      />
    </div>
  )
}

async function send(operation: Operation, address: string, body: string, keys: Keys): Promise<Result> {
  try {
    const startedMs = performance.now()
    const response = await fetch(address, {
      method: operation.method,
      headers: {
        authorization: `Bearer ${keys.publicKey}`,
        ...(operation.needsSecretKey && { 'x-api-private-key': keys.secretKey }),
        ...(operation.body !== undefined && { 'content-type': 'application/json' }),
      },
      // A key of the form decides, never a session of the wallet or of the dashboard.
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(30_000),
      ...(operation.body !== undefined && { body }),
    })
    const text = await response.text()
    const took = Math.round(performance.now() - startedMs)
    return { status: `${response.status}, ${took} ms`, body: layOut(text, response.headers.get('content-type') ?? '') }
  } catch {
    return { status: 'No response', body: 'The server could not be reached. Check that you are online.' }
  }
}

/** JSON is indented as text: a parsed number would lose digits of an amount. */
function layOut(text: string, type: string): string {
  if (type.startsWith('application/pdf')) return `A PDF document, ${text.length} characters`
  if (!type.startsWith('application/json')) return text
  type Raw = { readonly rawJSON: (text: string) => unknown }
  const keepDigits = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === 'number' && source !== undefined && 'rawJSON' in JSON ? (JSON as Raw).rawJSON(source) : value
  const parse = JSON.parse as (text: string, reviver: typeof keepDigits) => unknown
  return JSON.stringify(parse(text, keepDigits), null, 2)
}
