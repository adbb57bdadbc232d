import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, type Gauge, Histogram, Registry } from 'prom-client'
import type { Tally } from '../base/tally.ts'
import type { Limits } from './limit.ts'

type Labels = Readonly<Record<string, string>>
/** A value of a metric, and the labels that tell it from the others. */
export type Sample = { readonly value: number; readonly labels?: Labels }

export type Metric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  /** Called by each scrape, so it reads memory only. Without samples the metric is absent. */
  readonly read: () => readonly Sample[]
}
type HistogramMetric = {
  readonly name: string
  readonly help: string
  readonly read: () => readonly { readonly tally: Tally; readonly labels: Labels }[]
}

export type Metrics = {
  readonly contentType: string
  readonly read: () => Promise<string>
  /** Adds a metric that another part of the process has. */
  readonly add: (metric: Metric) => void
  readonly addHistogram: (metric: HistogramMetric) => void
}

/** Records durations by route and status, and process metrics. Never by path: a path can contain an identifier. */
export function recordMetrics(app: FastifyInstance, stateOfLimits: Limits['state']): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'scrip_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    }
    durations.observe(labels, reply.elapsedTime / 1_000)
    done()
  })
  const metrics: Metrics = {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    add: ({ read, ...metric }) => register(registry, { ...metric, get: () => ({ ...metric, values: read() }) }),
    addHistogram: ({ read, name, help }) => {
      const metric = { name, help, type: 'histogram' }
      const values = (): HistogramSample[] => read().flatMap(({ tally, labels }) => listBuckets(name, tally, labels))
      register(registry, { ...metric, get: () => ({ ...metric, values: values() }) })
    },
  }
  metrics.add({
    name: 'scrip_limits_degraded',
    help: '1 while Redis does not reply and each process counts its own limits',
    type: 'gauge',
    read: () => [{ value: stateOfLimits() === 'degraded' ? 1 : 0 }],
  })
  return metrics
}

/** The registry calls `get` for every scrape. A metric of the library would keep its last values where there are none. */
type Readable = { readonly name: string; readonly get: () => object }

function register(registry: Registry, metric: Readable): void {
  registry.registerMetric(metric as unknown as Gauge)
}

type HistogramSample = Sample & { readonly metricName: string }

/** The samples of a histogram: buckets count what is up to their bound, so each includes the ones before. */
function listBuckets(name: string, { bounds, counts, sum }: Tally, labels: Labels): HistogramSample[] {
  let total = 0
  const buckets = [...bounds.map(String), '+Inf'].map((le, i) => {
    total += counts[i] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
