import fastify, { type FastifyInstance } from 'fastify'
import type { Limits } from './limit.ts'
import type { Metrics } from './metrics.ts'

export type InternalTools = {
  readonly metrics: Metrics
  readonly limits: Limits
  /** Throws if requests cannot be served. */
  readonly checkReady: () => Promise<void>
  /** Describes the state of each live network. */
  readonly describeNetworks: () => Promise<readonly object[]>
}

/** Serves operators on a separate port that no proxy exposes: metrics, and whether this process is ready and why. */
export function createInternalServer({
  metrics,
  limits,
  checkReady,
  describeNetworks,
}: InternalTools): FastifyInstance {
  const app = fastify()
  app.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.read()))
  app.get('/health', async (_, reply) => {
    try {
      await checkReady()
      const networks = await describeNetworks()
      return await reply.send({ status: 'ready', database: 'reachable', limits: limits.state(), networks })
    } catch {
      return reply.code(503).send({ status: 'not ready', database: 'unreachable', limits: limits.state() })
    }
  })
  return app
}
