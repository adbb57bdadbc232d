import fastify, { type FastifyInstance } from 'fastify'
import type { Limits } from './limit.ts'
import { type Readiness, within } from './readiness.ts'
import type { Metrics } from './metrics.ts'

export type InternalTools = {
  readonly metrics: Metrics
  readonly limits: Limits
  readonly readiness: Readiness
  /** Describes the state of each live network. */
  readonly describeNetworks: () => Promise<readonly object[]>
}

const networksTimeoutMs = 1_000

/** Serves operators on a separate port that no proxy exposes: metrics, and whether this process is ready and why. */
export function createInternalServer({ metrics, limits, readiness, describeNetworks }: InternalTools): FastifyInstance {
  const app = fastify()
  app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.read()))
  app.get('/health', async (_, reply) => {
    try {
      await readiness.check()
      const networks = await within(networksTimeoutMs, describeNetworks())
      return await reply.send({ status: 'ready', database: 'reachable', limits: limits.state(), networks })
    } catch {
      const database = readiness.isDraining() ? 'not checked, because this process is about to stop' : 'unreachable'
      return reply.code(503).send({ status: 'not ready', database, limits: limits.state() })
    }
  })
  return app
}
