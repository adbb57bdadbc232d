// Spans of traced requests and jobs. Without an exporter nothing here does anything: see server/src/traces.ts.
import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>

/** A step of a traced request or job. Names and attributes never contain a secret, or an identifier from a path. */
export type Span = {
  readonly traceId: string
  readonly child: (name: string, attributes?: Attributes) => Span
  readonly set: (attributes: Attributes) => void
  /** Refers to a span of another trace. */
  readonly link: (other: Span) => void
  /** With an error, the span has failed. */
  readonly end: (error?: unknown) => void
  /** Whether it still takes children. */
  readonly isOpen: () => boolean
}

export type RootOptions = {
  readonly attributes?: Attributes
  /** The `traceparent` header of the request, which continues the trace of its caller. */
  readonly traceparent?: string | undefined
  readonly isRequest?: boolean
}

export type Tracer = {
  /** Starts a trace, if it is sampled. */
  readonly startRoot: (name: string, options: RootOptions) => Span | undefined
  /** Starts a trace for work that several sampled traces share, and links them in both directions. */
  readonly startShared: (name: string, attributes: Attributes, sharers: readonly [Span, ...Span[]]) => Span
}

/** Undefined: no traces are exported. */
let tracer: Tracer | undefined
const active = new AsyncLocalStorage<Span | undefined>()

/** Sets what creates the spans of this process. */
export function setTracer(used: Tracer | undefined): void {
  tracer = used
}

export function isTracing(): boolean {
  return tracer !== undefined
}

/** The span of the work that is under way. Undefined for nearly all work, which is not sampled. */
export function activeSpan(): Span | undefined {
  if (tracer === undefined) return undefined
  const span = active.getStore()
  // A connection or a loop that a traced request has started outlives it.
  return span?.isOpen() === true ? span : undefined
}

/** Runs work as a part of the span, or of no span. */
export function runIn<T>(span: Span | undefined, work: () => T): T {
  return tracer === undefined ? work() : active.run(span, work)
}

/** Starts a trace, if traces are exported and this one is sampled. */
export function startRoot(name: string, options: RootOptions = {}): Span | undefined {
  return tracer?.startRoot(name, options)
}

/** Runs work in a trace of its own, if that is sampled. */
export function inRoot<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (tracer === undefined) return work()
  const span = tracer.startRoot(name, { attributes })
  return span === undefined ? runIn(undefined, work) : finish(span, work)
}

/** Runs work as a step of the active span, if there is one. */
export function inSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  const parent = activeSpan()
  return parent === undefined ? work() : finish(parent.child(name), work)
}

/** Runs work for several spans in a trace that is linked with each of them. */
export function inShared<T>(
  name: string,
  attributes: Attributes,
  [first, ...others]: readonly Span[],
  work: () => Promise<T>,
): Promise<T> {
  if (tracer === undefined || first === undefined) return work()
  return finish(tracer.startShared(name, attributes, [first, ...others]), work)
}

async function finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await active.run(span, work)
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
