import { AsyncResource } from 'node:async_hooks'
import type pg from 'pg'
import { activeSpan, isTracing, type Span } from './trace.ts'

type Query = (...args: unknown[]) => unknown

/** Makes a span of each statement that a traced request sends on this connection. Nothing is changed without traces. */
export function traceStatements(client: object): void {
  if (!isTracing()) return
  const traced = client as { query: Query }
  const query = traced.query.bind(client)
  traced.query = (...args) => {
    const parent = activeSpan()
    const name = parent && nameOf(args[0])
    if (parent === undefined || name === undefined) return query(...args)
    const span = parent.child(name, { 'db.system.name': 'postgresql' })
    const last = args.at(-1)
    if (typeof last === 'function') return query(...args.slice(0, -1), endingWith(span, last as Query))
    const result = query(...args) as Promise<unknown>
    result.then(
      () => span.end(),
      (error: unknown) => span.end(error),
    )
    return result
  }
}

function endingWith(span: Span, callback: Query): Query {
  return (error: unknown, ...rest) => {
    span.end(error ?? undefined)
    callback(error, ...rest)
  }
}

/** A pool calls whoever waits for a connection from the work that returned it: that is another request. */
export function traceWaiting(pool: pg.Pool): void {
  if (!isTracing()) return
  const traced = pool as { connect: Query }
  const connect = traced.connect.bind(pool)
  traced.connect = (callback) =>
    typeof callback !== 'function' || pool.idleCount > 0
      ? connect(callback)
      : connect(AsyncResource.bind(callback as (...args: unknown[]) => void))
}

/** What a statement does, without any value: its name, or its command and its table. Undefined for a round, which names itself. */
function nameOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return describe(statement)
  const { name, text, submit } = statement as { name?: string; text?: string; submit?: unknown }
  if (submit !== undefined) return undefined
  return name ?? describe(text ?? '')
}

/** All text is ours and has its values as parameters. Names of functions and tables follow these words. */
function describe(text: string): string {
  const [, command = 'statement'] = /^[\s(]*(\w+)/.exec(text) ?? []
  const [, table] = /\b(?:from|into|update|join)\s+(?:only\s+)?([a-z_][a-z0-9_.]*)/.exec(text) ?? []
  return table === undefined || table === 'unnest' ? command : `${command} ${table}`
}
