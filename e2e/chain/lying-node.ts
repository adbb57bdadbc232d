// A node proxy that fails in every way seen on real nodes: empty and partial receipts, missing blocks, a head that goes
// back, rate limits, late responses and responses out of order. Each proxy fails at random, on its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, type NodeProxy, startNodeProxy, type Told } from '../../server/local/drill/node-proxy.ts'

export type LyingNode = NodeProxy & {
  readonly lies: () => number
  /** How often the platform called a method about an existing block. */
  readonly calls: (method: string) => number
  /** While this is on, the node reports every transaction as successful. */
  readonly hideReverts: (isHiding: boolean) => void
  /** The node is called only for what this function returns undefined for. */
  readonly override: (override: Override) => void
}
type Receipt = { logs: unknown[] }
type Override = (method: string, params: readonly unknown[]) => unknown

export async function startLyingNode(nodeUrl: string, share: number): Promise<LyingNode> {
  const calls = new Map<string, number>()
  let lies = 0
  let override: Override = () => undefined
  let isHidingReverts = false

  const proxy = await startNodeProxy(
    () => nodeUrl,
    async (call, callNode) => {
      const pass = async (each: Call): Promise<Told> => {
        const result = override(each.method, each.params)
        if (result !== undefined) return { result }
        const response = await callNode(each)
        return isHidingReverts ? hideReverts(each, response) : response
      }
      const falseResponse = Math.random() < share ? await lie(call, pass) : undefined
      if (falseResponse !== undefined) lies++
      // A delay reorders the responses to concurrent calls.
      if (Math.random() < share) await sleep(Math.random() * 50)
      const response = falseResponse ?? { status: 200, body: await pass(call) }
      // Workers poll for new blocks all the time, so only calls about an existing block count.
      const isAboutBlock = response.body.result !== null && call.params[1] !== false
      if (isAboutBlock) calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
      return response
    },
  )
  return {
    ...proxy,
    lies: () => lies,
    calls: (method) => calls.get(method) ?? 0,
    hideReverts: (isHiding) => {
      isHidingReverts = isHiding
    },
    override: (next) => {
      override = next
    },
  }
}

function hideReverts({ method }: Call, response: Told): Told {
  if (method === 'eth_getBlockReceipts')
    return {
      ...response,
      result: ((response.result ?? []) as object[]).map((receipt) => ({ ...receipt, status: '0x1' })),
    }
  const isReceipt =
    method === 'eth_getTransactionReceipt' && typeof response.result === 'object' && response.result !== null
  return isReceipt ? { ...response, result: { ...response.result, status: '0x1' } } : response
}

/** A false response, or undefined if there is none for this call. */
async function lie(
  call: Call,
  pass: (call: Call) => Promise<Told>,
): Promise<{ status: number; body: Told } | undefined> {
  const { method, params } = call
  const kind = Math.random()
  if (kind < 0.2) return { status: 429, body: { error: { message: 'too many requests' } } }
  if (method === 'eth_getBlockReceipts') {
    const { result } = (await pass(call)) as { result?: Receipt[] }
    const receipts = result ?? []
    if (kind < 0.4) return { status: 200, body: { result: [] } }
    if (kind < 0.7) return { status: 200, body: { result: receipts.slice(0, -1) } }
    return { status: 200, body: { result: receipts.map((receipt) => ({ ...receipt, logs: [] })) } }
  }
  if (method === 'eth_getBlockByNumber' && params[0] === 'finalized') {
    const { result } = (await pass({ ...call, params: ['latest', false] })) as { result?: { number: string } }
    const older = Math.max(0, Number(result?.number ?? 0) - 8)
    return { status: 200, body: await pass({ ...call, params: [`0x${older.toString(16)}`, false] }) }
  }
  // The node lags behind.
  if (method === 'eth_getBlockByNumber' && kind < 0.6) return { status: 200, body: { result: null } }
  return undefined
}
