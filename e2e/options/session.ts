// Plays day after day, tick by tick: the market moves, planned work runs, and idle lanes begin a new trip.
import type { Desks } from './desks.ts'
import { marketAt } from './foresight.ts'
import { createDice, type Dice, type Market } from './market.ts'
import type { Tally } from './tally.ts'
import type { World } from './world.ts'

type Work = () => Promise<void>

const atOnce = 6

export type Session = {
  readonly world: World
  readonly tally: Tally
  /** Each lane has its own, so that a seed gives the same choices whichever lane gets its response first. */
  readonly dice: Dice
  readonly tolerancePpm: bigint
  readonly day: readonly Market[]
  readonly tick: number
  /** Plans work for this tick or a later one of the same day. */
  readonly later: (tick: number, work: Work) => void
}

/** A sequence of trips, one after the other. */
export type Lane = {
  /** Begins a trip and returns the tick from which the lane is idle again. */
  readonly begin: (session: Session) => Promise<number>
  /** Runs before the first tick of a day. */
  readonly wake?: (session: Session) => void
}

export async function playDays(
  world: World,
  { tally, desks, seed }: { readonly tally: Tally; readonly desks: Desks; readonly seed: string },
  nextDay: () => Market[],
  lanes: readonly Lane[],
): Promise<void> {
  const tolerancePpm = await world.readTolerance()
  const players = lanes.map((lane, i) => ({ lane, dice: createDice(`player/${seed}/${i}`) }))
  while (!tally.isOver()) await playDay(world, { tally, desks, tolerancePpm }, nextDay(), players)
}

type Player = { readonly lane: Lane; readonly dice: Dice }

async function playDay(
  world: World,
  shared: Pick<Session, 'tally' | 'tolerancePpm'> & { readonly desks: Desks },
  day: readonly Market[],
  players: readonly Player[],
): Promise<void> {
  const { tally, desks } = shared
  const planned = day.map((): Work[] => [])
  const idleFrom = new Map(players.map((player) => [player, 0]))
  const later: Session['later'] = (tick, work) => planned[tick]?.push(work)
  const sessionAt = (tick: number, { dice }: Player): Session => ({ ...shared, world, day, tick, later, dice })
  for (const player of players) player.lane.wake?.(sessionAt(0, player))

  for (const [tick, market] of day.entries()) {
    await world.moveTo(market)
    const runPlanned = async (): Promise<void> => {
      // Work may plan more work for the same tick.
      for (let due = takeAll(planned[tick]); due.length > 0; due = takeAll(planned[tick])) await runTogether(due)
    }
    await runPlanned()
    const idle = players.filter((player) => (idleFrom.get(player) ?? 0) <= tick)
    await runTogether(
      idle.map((player) => async () => {
        idleFrom.set(player, await player.lane.begin(sessionAt(tick, player)))
      }),
    )
    await runPlanned()
    await tally.measure(world.owner, marketAt(day, tick))
    await desks.measure(world.owner, market)
  }
}

/** Runs some of it concurrently, as clients would. Running all at once would make them wait until their locks time out. */
async function runTogether(works: readonly Work[]): Promise<void> {
  const left = works.values()
  const worker = async (): Promise<void> => {
    for (const work of left) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

function takeAll(works: Work[] | undefined): Work[] {
  return works?.splice(0) ?? []
}
