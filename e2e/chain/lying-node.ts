// Lies about a node in every way that nodes were seen to: empty and partial receipts, blocks that are not there yet, a head that goes back,
// refusals, answers late and out of order. Never twice the same lie at once in two of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, startNodeProxy, type Told } from '../../server/local/node-proxy.ts'

export type LyingNode = Awaited<ReturnType<typeof startLyingNode>>
type Receipt = { logs: unknown[] }
/** Undefined: somebody else has to be asked. */
type Answer = (method: string, params: readonly unknown[]) => unknown

export async function startLyingNode(nodeUrl: string, share: number) {
  const asked = new Map<string, number>()
  let lies = 0
  let first: Answer = () => undefined
  let isHidingReverts = false

  const proxy = await startNodeProxy(
    () => nodeUrl,
    async (call, ask) => {
      const pass = async (each: Call): Promise<Told> => {
        const result = first(each.method, each.params)
        if (result !== undefined) return { result }
        const told = await ask(each)
        return isHidingReverts ? hideReverts(each, told) : told
      }
      const told = Math.random() < share ? await lie(call, pass) : undefined
      if (told !== undefined) lies++
      // Late, so that the answers of two questions change places.
      if (Math.random() < share) await sleep(Math.random() * 50)
      const answer = told ?? { status: 200, body: await pass(call) }
      // Whether there is a new block is asked again and again; counted are the questions about one.
      const isAboutBlock = answer.body.result !== null && call.params[1] !== false
      if (isAboutBlock) asked.set(call.method, (asked.get(call.method) ?? 0) + 1)
      return answer
    },
  )
  return {
    ...proxy,
    lies: () => lies,
    asked: (method: string): number => asked.get(method) ?? 0,
    /** From now on it says of every transaction that it worked. */
    hideReverts: (isHiding: boolean): void => {
      isHidingReverts = isHiding
    },
    /** What this has an answer to, the node is not asked. */
    answerFirst: (answer: Answer): void => {
      first = answer
    },
  }
}

function hideReverts({ method }: Call, told: Told): Told {
  if (method === 'eth_getBlockReceipts')
    return { ...told, result: ((told.result ?? []) as object[]).map((receipt) => ({ ...receipt, status: '0x1' })) }
  const isReceipt = method === 'eth_getTransactionReceipt' && typeof told.result === 'object' && told.result !== null
  return isReceipt ? { ...told, result: { ...told.result, status: '0x1' } } : told
}

/** An answer that is not true, or nothing where this question has none. */
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
  // It lags.
  if (method === 'eth_getBlockByNumber' && kind < 0.6) return { status: 200, body: { result: null } }
  return undefined
}
