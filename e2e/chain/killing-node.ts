// A node proxy that reports each call of a worker before it reaches the node and before the worker gets the result,
// so that the drill can kill the worker at either moment.
import { type NodeProxy, startNodeProxy } from '../../server/local/drill/node-proxy.ts'

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
