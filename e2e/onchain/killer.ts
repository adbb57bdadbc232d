// Kills a worker at each step of its work: before and after it calls its node, and while it writes what follows from the result.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiProcess } from '../../server/local/drill/api-process.ts'
import type { Moment } from '../chain/killing-node.ts'

const moments = ['before', 'after', 'later'] as const
// Queueing, signing, broadcasting, reading blocks, and booking, which begins with the receipt of the log.
const methods = [
  ...['eth_estimateGas', 'eth_maxPriorityFeePerGas', 'eth_getTransactionCount', 'eth_sendRawTransaction'],
  ...['eth_getTransactionReceipt', 'eth_getBlockReceipts'],
]
const steps = methods.flatMap((method) => moments.map((moment) => `${method} ${moment}`))

export type Killer = {
  isOn: boolean
  kills: number
  /** The steps at which no worker was killed yet. */
  readonly left: () => string[]
  readonly onStep: (worker: ApiProcess | undefined, index: number, method: string, moment: Moment) => void
  /** Waits until every killed worker runs again. */
  readonly rest: () => Promise<void>
}

/** Kills each worker at its part of the steps, `rounds` times; `share` of the steps, chosen at random. Rests between two kills. */
export function createKiller(rounds: number, share: number, restMs: number): Killer {
  const chosen = steps.toSorted(() => Math.random() - 0.5).slice(0, Math.ceil(steps.length * share))
  const plans = [0, 1].map((worker) => {
    const own = share < 1 ? chosen.filter((_, i) => i % 2 === worker) : chosen
    return Array.from({ length: rounds }, () => own).flat()
  })
  const dying = new Set<number>()
  const killer: Killer = {
    isOn: false,
    kills: 0,
    left: () => plans.flat(),
    onStep: (worker, index, method, moment) => {
      if (!killer.isOn || worker === undefined || dying.has(index)) return
      const plan = plans[index] ?? []
      const isNow = (step: string): boolean =>
        step === `${method} ${moment}` || (moment === 'after' && step === `${method} later`)
      const at = plan.findIndex(isNow)
      if (at === -1) return
      const [step = ''] = plan.splice(at, 1)
      dying.add(index)
      void kill(worker, index, step)
    },
    rest: async () => {
      while (dying.size > 0) await sleep(50)
    },
  }
  async function kill(worker: ApiProcess, index: number, step: string): Promise<void> {
    if (step.endsWith('later')) await sleep(Math.random() * 8)
    killer.kills++
    await worker.crash()
    // Work is done between two kills.
    await sleep(restMs * (0.5 + Math.random()))
    dying.delete(index)
  }
  return killer
}
