import type { Clock } from '../base/clock.ts'
import { createRest } from '../base/sweep.ts'
import { chainError } from './errors.ts'

/** Of what two nodes say: neither can raise it alone. */
export function lowest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((a, b) => (a < b ? a : b))
}

export type Rpc = ReturnType<typeof createRpc>

const timeoutMs = 10_000

type Reply = { readonly result?: unknown; readonly error?: { readonly message?: string } }

/** Nodes of one network. Their addresses carry keys, so that a failure names them by number. */
export function createRpc(urls: readonly string[], clock: Clock) {
  const rest = createRest(clock)
  /** Those that failed last come last. */
  const inOrder = (): string[] => {
    const resting = new Set(rest.ids())
    return [...urls.filter((url) => !resting.has(url)), ...urls.filter((url) => resting.has(url))]
  }

  async function post(url: string, method: string, params: readonly unknown[]): Promise<Reply & { status: number }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { ...((await response.json()) as Reply), status: response.status }
  }

  async function askOne(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      const { result, error, status } = await post(url, method, params)
      if (result === undefined) throw new Error(`${status} ${error?.message ?? ''}`.slice(0, 200))
      rest.end(url)
      return result
    } catch (error) {
      rest.add(url)
      const said = error instanceof Error ? error.message.replaceAll(url, '') : ''
      throw chainError('CHAIN_UNREACHABLE', { method, node: urls.indexOf(url), said })
    }
  }

  return {
    nodes: urls.length,
    /** Of the first node that answers and, where it is said what an answer has to be, answers that. */
    ask: async <T>(method: string, params: readonly unknown[], isWhole: (answer: T) => boolean = () => true) => {
      let failure: unknown = chainError('CHAIN_UNREACHABLE', { method })
      for (const url of inOrder())
        try {
          const answer = (await askOne(url, method, params)) as T
          if (isWhole(answer)) return answer
          rest.add(url)
        } catch (error) {
          failure = error
        }
      throw failure
    },
    /** What each of two nodes says, or of the only one. Both have to answer. */
    askTwo: async <T>(method: string, params: readonly unknown[]): Promise<T[]> => {
      const answers = await Promise.allSettled(inOrder().map((url) => askOne(url, method, params)))
      const said = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value as T] : []))
      if (said.length < Math.min(2, urls.length)) throw chainError('CHAIN_UNREACHABLE', { method })
      return said.slice(0, 2)
    },
    /** Tells all of them, and what each said against it: an empty text where it had nothing to say. */
    tellAll: (method: string, params: readonly unknown[]): Promise<string[]> =>
      Promise.all(
        urls.map((url) =>
          post(url, method, params).then(
            // An answer that is none, of somebody who stands before the node, is not taken for a yes.
            ({ result, error, status }) =>
              result === undefined ? `${status} ${error?.message ?? ''}`.slice(0, 200).replaceAll(url, '') : '',
            () => 'unreachable',
          ),
        ),
      ),
  }
}
