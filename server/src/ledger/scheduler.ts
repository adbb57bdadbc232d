import type { Connection } from '../base/db.ts'
import { runIn } from '../base/trace.ts'
import type { Timers } from '../base/timers.ts'
import type { Journal } from './journal.ts'
import type { Waiting } from './waiting.ts'

/** A queue with a connection of its own. Lanes run their batches at the same time. */
export type Lane = {
  client?: Connection
  readonly queue: Waiting[]
  /** The batch that it posts now. */
  batch: readonly Waiting[]
  readonly batchMax: number
  isRunning: boolean
  /** How many batches of other lanes have ended while this one had journals and did not run. */
  passedBy: number
}

export type Scheduler = {
  readonly lanes: readonly Lane[]
  readonly enqueue: (waiting: Waiting) => void
  readonly isAlone: (lane: Lane) => boolean
  /** Counts work outside of the lanes as running. */
  readonly track: (work: Promise<void>) => void
  /** Resolves when nothing is queued and nothing runs. */
  readonly finish: () => Promise<void>
}

type SchedulerOptions = {
  /** How many batches run at once: while one waits for PostgreSQL, this process prepares another. */
  readonly laneCount: number
  readonly batchMax: number
  readonly timers: Pick<Timers, 'nextTurn'>
  /** Posts a batch. Afterwards every journal of it is settled, or waits elsewhere, or is back in a queue. Never throws. */
  readonly run: (lane: Lane, batch: Waiting[]) => Promise<void>
}

// How many journals must be queued before a lane starts while another one runs: each batch has a fixed cost.
const besideCount = 64
// After this many batches of other lanes, a lane starts with fewer.
const passedByMax = 3

/** Collects journals in lanes and decides when each lane posts its next batch. */
export function createScheduler({ laneCount, batchMax, timers, run }: SchedulerOptions): Scheduler {
  const lanes = Array.from({ length: laneCount }, () => createLane(batchMax))
  const loners = createLane(1)
  const besideMin = Math.min(besideCount, batchMax)
  const running = new Set<Promise<void>>()
  let isScheduled = false

  /** Starts the lanes at the end of this turn of the event loop, so that journals of one turn share a batch. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    void timers.nextTurn().then(() => {
      isScheduled = false
      for (const lane of [...lanes, loners]) if (!lane.isRunning && isDue(lane)) track(drain(lane))
    })
  }

  function isDue(lane: Lane): boolean {
    const mayBeSmall = lane === loners || runsAlone(lane) || lane.passedBy >= passedByMax
    return lane.queue.length >= (mayBeSmall ? 1 : besideMin)
  }

  function runsAlone(lane: Lane): boolean {
    return lanes.every((other) => other === lane || !other.isRunning)
  }

  /** Takes the next batch of a lane. If no other lane runs, it also takes journals from lanes with too few to start. */
  function take(lane: Lane): Waiting[] {
    const batch = lane.queue.splice(0, lane.batchMax)
    lane.passedBy = 0
    if (lane !== loners && runsAlone(lane))
      for (const { queue } of lanes)
        if (queue.length < besideMin) batch.push(...queue.splice(0, lane.batchMax - batch.length))
    return batch
  }

  async function drain(lane: Lane): Promise<void> {
    lane.isRunning = true
    while (isDue(lane)) {
      // A batch is for all of its journals, not for the request that woke the lane.
      await runIn(undefined, () => run(lane, take(lane)))
      passBy(lanes)
    }
    lane.isRunning = false
    schedule()
  }

  function track(work: Promise<void>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  async function finish(): Promise<void> {
    while (running.size > 0 || [...lanes, loners].some(({ queue }) => queue.length > 0)) {
      await Promise.all(running)
      await timers.nextTurn()
    }
  }

  return {
    lanes: [...lanes, loners],
    enqueue: (waiting) => {
      const lane = waiting.isLoner ? loners : lanes[laneOf(waiting.journal, laneCount)]
      lane?.queue.push(waiting)
      schedule()
    },
    isAlone: (lane) => lane === loners,
    track,
    finish,
  }
}

/** Without this, lanes with many journals could keep one with few waiting for as long as they are busy. */
function passBy(lanes: readonly Lane[]): void {
  for (const lane of lanes) if (!lane.isRunning && lane.queue.length > 0) lane.passedBy++
}

function createLane(batchMax: number): Lane {
  return { queue: [], batch: [], batchMax, isRunning: false, passedBy: 0 }
}

/**
 * Journals that pay the same account use the same lane, so that lanes rarely wait for each other's locks: with 1,000
 * merchants and round-robin lanes, two batches of 256 journals nearly always shared an account.
 */
function laneOf({ alternatives: [{ transfers, holds }] }: Journal, laneCount: number): number {
  const account = transfers[0]?.to ?? holds?.[0]?.account
  return account === undefined ? 0 : parseInt(account.ownerId.slice(-6), 16) % laneCount
}
