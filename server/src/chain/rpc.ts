import type { Clock } from '../base/clock.ts'
import { createRest } from '../base/jobs.ts'
import type { Log } from '../base/log.ts'
import { noteFailure, noteSuccess, type Subject } from '../base/outage.ts'
import { chainError } from './errors.ts'

/** The lower of two nodes' numbers, so that neither node can raise it alone. */
export function lowest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((a, b) => (a < b ? a : b))
}

type Params = readonly unknown[]

/** JSON-RPC calls to the nodes of one network. */
export type Rpc = {
  /** The number of nodes. */
  readonly nodes: number
  /** The result of the first node that responds with a complete one. */
  readonly call: <T>(method: string, params: Params, isComplete?: (result: T) => boolean) => Promise<T>
  /** The results of two nodes, or of the only one. Throws if fewer respond. */
  readonly callTwo: <T>(method: string, params: Params) => Promise<T[]>
  /** The gas of a call as two nodes, or the only one, estimate it; "reverts" if no amount of gas would carry it out. */
  readonly estimateTwo: (call: object) => Promise<(bigint | 'reverts')[]>
  /** Sends to all nodes. Returns the error of each, or an empty string if it accepted. */
  readonly broadcast: (method: string, params: Params) => Promise<string[]>
}

const timeoutMs = 10_000

type Reply = { readonly result?: unknown; readonly error?: { readonly code?: number; readonly message?: string } }
// A call that reverts is an error, but not one of the node.
const revertCode = 3

/** Names the nodes in the log, where their outages are noted. */
type Noting = { readonly log: Log; readonly network: string }

/** The nodes' URLs contain API keys, so errors name a node by its number. */
export function createRpc(urls: readonly string[], clock: Clock, noting?: Noting): Rpc {
  const rest = createRest(clock)
  /** Nodes that failed recently come last. */
  const inOrder = (): string[] => {
    const resting = new Set(rest.ids())
    return [...urls.filter((url) => !resting.has(url)), ...urls.filter((url) => resting.has(url))]
  }

  async function callOne(url: string, method: string, params: Params): Promise<unknown> {
    const node = urls.indexOf(url)
    let isAway = true
    try {
      const reply = await post(url, method, params)
      isAway = reply.result === undefined && reply.status >= 400
      if (reply.result === undefined) throw new Error(errorOf(reply))
      rest.end(url)
      noteReply(noting, node)
      return reply.result
    } catch (error) {
      rest.add(url)
      const reason = error instanceof Error ? error.message.replaceAll(url, '') : ''
      const failure = chainError('CHAIN_UNREACHABLE', { method, node, said: reason })
      if (isAway) noteSilence(noting, node, failure)
      throw failure
    }
  }

  async function estimateOne(url: string, call: object): Promise<bigint | 'reverts'> {
    const method = 'eth_estimateGas'
    const reply = await post(url, method, [call]).catch((): undefined => undefined)
    if (isRevert(reply)) return 'reverts'
    if (typeof reply?.result === 'string') return BigInt(reply.result)
    return BigInt((await callOne(url, method, [call])) as string)
  }

  /** The results of two nodes, or of the only one. */
  async function askTwo<T>(method: string, ask: (url: string) => Promise<T>): Promise<T[]> {
    const settled = await Promise.allSettled(inOrder().map(ask))
    const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const cause: unknown = settled.find((one) => one.status === 'rejected')?.reason
    if (results.length < Math.min(2, urls.length)) throw chainError('CHAIN_UNREACHABLE', { method }, cause)
    return results.slice(0, 2)
  }

  return {
    nodes: urls.length,
    call: async <T>(method: string, params: Params, isComplete: (result: T) => boolean = () => true) => {
      let failure: unknown = chainError('CHAIN_UNREACHABLE', { method })
      for (const url of inOrder())
        try {
          const result = (await callOne(url, method, params)) as T
          if (isComplete(result)) return result
          rest.add(url)
        } catch (error) {
          failure = error
        }
      throw failure
    },
    callTwo: <T>(method: string, params: Params) => askTwo(method, (url) => callOne(url, method, params) as Promise<T>),
    estimateTwo: (call) => askTwo('eth_estimateGas', (url) => estimateOne(url, call)),
    broadcast: (method, params) => Promise.all(urls.map((url) => sendTo(url, method, params))),
  }
}

/** Returns the error of the node, or an empty string if it accepted. */
async function sendTo(url: string, method: string, params: Params): Promise<string> {
  const reply = await post(url, method, params).catch((): undefined => undefined)
  if (reply === undefined) return 'unreachable'
  // A response without a result, for example from a proxy, does not count as accepted.
  return reply.result === undefined ? errorOf(reply).replaceAll(url, '') : ''
}

async function post(url: string, method: string, params: Params): Promise<Reply & { status: number }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { ...((await response.json()) as Reply), status: response.status }
}

function noteReply(noting: Noting | undefined, node: number): void {
  if (noting !== undefined) noteSuccess(noting.log, nodeOf(noting, node))
}

function noteSilence(noting: Noting | undefined, node: number, failure: unknown): void {
  if (noting === undefined) return
  noteFailure(noting.log, nodeOf(noting, node), failure, { network: noting.network, node })
}

function isRevert(reply: Reply | undefined): boolean {
  const { code, message = '' } = reply?.error ?? {}
  return code === revertCode || /\brevert|out ?of ?gas|gas required exceeds|invalid opcode|invalidfe/i.test(message)
}

function nodeOf({ network }: Noting, node: number): Subject {
  return { name: `Node ${node + 1} of ${network}`, failing: `Node ${node + 1} of ${network} does not respond.` }
}

function errorOf({ status, error }: Reply & { status: number }): string {
  return `${status} ${error?.message ?? ''}`.slice(0, 200)
}
