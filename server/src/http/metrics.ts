import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Limits } from './limit.ts'

export type Metrics = {
  readonly contentType: string
  readonly read: () => Promise<string>
  /** Adds a count that another part of the process has. */
  readonly count: (name: string, help: string, read: () => number) => void
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
  new Gauge({
    name: 'scrip_limits_degraded',
    help: '1 while Redis does not reply and each process counts its own limits',
    registers: [registry],
    collect() {
      this.set(stateOfLimits() === 'degraded' ? 1 : 0)
    },
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
  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    count: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
  }
}
