// Is told of every question of a worker, before the node hears it and before the worker hears the answer: that is when the worker is killed.
import { type NodeProxy, startNodeProxy } from '../../server/local/node-proxy.ts'

export type Moment = 'before' | 'after'

export function startKillingNode(
  nodeUrl: string,
  onStep: (method: string, moment: Moment) => void,
): Promise<NodeProxy> {
  return startNodeProxy(
    () => nodeUrl,
    async (call, pass) => {
      onStep(call.method, 'before')
      const body = await pass(call)
      onStep(call.method, 'after')
      return { status: 200, body }
    },
  )
}
