// OpenTelemetry. Loaded only if traces are exported.
import { hostname } from 'node:os'
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from './base/log.ts'
import { noteFailure, noteSuccess } from './base/outage.ts'
import { type RootOptions, setTracer, type Span, type Tracer } from './base/trace.ts'
import { within } from './http/readiness.ts'
import type { Sampler, TracesConfig } from './traces-config.ts'

const collector = {
  name: 'The trace collector',
  failing: 'The trace collector takes no spans. They are dropped; requests are not affected.',
}
// A stream is open for hours. Its trace shows how it began.
const childrenMs = 60_000
const stopMs = 3_000

/** From now on sampled requests and jobs are traced. Returns what sends the rest and ends that. */
export function startTraces(config: TracesConfig, log: Log, process: string): () => Promise<void> {
  const random = new RandomIdGenerator()
  let traceId: string | undefined
  const provider = new TracerProvider({
    // Whether a trace is sampled is decided before its first span is created.
    sampler: new AlwaysOnSampler(),
    idGenerator: {
      generateTraceId: () => traceId ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'scrip', 'host.name': hostname(), 'scrip.process': process }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: notingOutages(new OTLPTraceExporter({ url: config.url, headers: { ...config.headers } }), log),
        scheduledDelayMillis: config.delayMs,
        maxQueueSize: config.queueMax,
      }),
    ],
  })
  const tracer = provider.getTracer('scrip')
  const sample = createSample(config.sampler, random)
  const start = (name: string, context: Context, options: Parameters<typeof tracer.startSpan>[1]): Span =>
    toSpan(tracer.startSpan(name, options, context), (child, attributes, inParent) =>
      start(child, inParent, { ...(attributes && { attributes }) }),
    )
  const used: Tracer = {
    startRoot: (name, options) => {
      const sampled = sample(options)
      if (sampled === undefined) return undefined
      traceId = sampled.traceId
      const kind = options.isRequest === true ? SpanKind.SERVER : SpanKind.INTERNAL
      const root = start(name, sampled.context, { kind, ...(options.attributes && { attributes: options.attributes }) })
      traceId = undefined
      return root
    },
    startShared: (name, attributes, sharers) => {
      const links = sharers.map((sharer): Link => ({ context: contextOf(sharer) }))
      const shared = start(name, ROOT_CONTEXT, { attributes, links })
      for (const sharer of sharers) sharer.link(shared)
      return shared
    },
  }
  setTracer(used)
  return async () => {
    setTracer(undefined)
    await within(stopMs, provider.shutdown()).catch(() => undefined)
  }
}

type Sampled = { readonly traceId?: string; readonly context: Context }

/** Decides about a trace. Nothing is created for one that is not sampled, which at one percent are nearly all. */
function createSample({ isParentBased, ratio }: Sampler, random: RandomIdGenerator) {
  const byId = new TraceIdRatioBasedSampler(ratio)
  return ({ traceparent }: RootOptions): Sampled | undefined => {
    const [, parentId, spanId, flags] = traceparent === undefined ? [] : (readParent.exec(traceparent) ?? [])
    if (parentId === undefined || spanId === undefined) {
      const traceId = random.generateTraceId()
      const isSampled = byId.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED
      return isSampled ? { traceId, context: ROOT_CONTEXT } : undefined
    }
    const isSampled = isParentBased
      ? (parseInt(flags ?? '', 16) & 1) === 1
      : byId.shouldSample(ROOT_CONTEXT, parentId).decision === SamplingDecision.RECORD_AND_SAMPLED
    if (!isSampled) return undefined
    const parent = { traceId: parentId, spanId, traceFlags: 1, isRemote: true }
    return { context: trace.setSpanContext(ROOT_CONTEXT, parent) }
  }
}

/** W3C Trace Context. Ids of zeros alone are not valid, and neither is version ff. */
const readParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/

const contexts = new WeakMap<Span, ReturnType<SdkSpan['spanContext']>>()

function contextOf(span: Span): ReturnType<SdkSpan['spanContext']> {
  const context = contexts.get(span)
  if (context === undefined) throw new Error('A span of another tracer.')
  return context
}

type StartChild = (name: string, attributes: Parameters<Span['child']>[1], parent: Context) => Span

function toSpan(sdk: SdkSpan, startChild: StartChild): Span {
  const untilMs = performance.now() + childrenMs
  const context = trace.setSpan(ROOT_CONTEXT, sdk)
  const span: Span = {
    traceId: sdk.spanContext().traceId,
    child: (name, attributes) => startChild(name, attributes, context),
    set: (attributes) => void sdk.setAttributes(attributes),
    link: (other) => void sdk.addLink({ context: contextOf(other) }),
    end: (error) => {
      if (error !== undefined) sdk.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) })
      sdk.end()
    },
    isOpen: () => sdk.isRecording() && performance.now() < untilMs,
  }
  contexts.set(span, sdk.spanContext())
  return span
}

/** The code of an error, such as VOUCHER_EMPTY or 40P01. Never its message, which can contain a value. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function notingOutages(exporter: SpanExporter, log: Log): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error === undefined) noteSuccess(log, collector)
        else noteFailure(log, collector, withoutBody(result.error))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

/** What failed, without the response that the collector sent, and never as an outage of the database. */
function withoutBody(error: Error | undefined): Error {
  return new Error(error?.message ?? 'The collector refused the spans.')
}
