// Plays day after day, tick by tick: the market moves, what was planned for the tick is done, idle lanes begin something new.
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
  /** The lane's own, so that a seed means the same whichever lane is answered first. */
  readonly dice: Dice
  readonly tolerancePpm: bigint
  readonly day: readonly Market[]
  readonly tick: number
  /** Plans work for this tick or a later one of the same day. */
  readonly later: (tick: number, work: Work) => void
}

/** Where the player does one thing after another. */
export type Lane = {
  /** Begins a trip and returns the tick from which on the lane is idle again. */
  readonly begin: (session: Session) => Promise<number>
  /** Before the first tick of a day. */
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
  means: Pick<Session, 'tally' | 'tolerancePpm'> & { readonly desks: Desks },
  day: readonly Market[],
  players: readonly Player[],
): Promise<void> {
  const { tally, desks } = means
  const planned = day.map((): Work[] => [])
  const idleFrom = new Map(players.map((player) => [player, 0]))
  const later: Session['later'] = (tick, work) => planned[tick]?.push(work)
  const sessionAt = (tick: number, { dice }: Player): Session => ({ ...means, world, day, tick, later, dice })
  for (const player of players) player.lane.wake?.(sessionAt(0, player))

  for (const [tick, market] of day.entries()) {
    await world.moveTo(market)
    const doPlanned = async (): Promise<void> => {
      // What is done may plan something for this same tick.
      for (let due = takeAll(planned[tick]); due.length > 0; due = takeAll(planned[tick])) await doTogether(due)
    }
    await doPlanned()
    const idle = players.filter((player) => (idleFrom.get(player) ?? 0) <= tick)
    await doTogether(
      idle.map((player) => async () => {
        idleFrom.set(player, await player.lane.begin(sessionAt(tick, player)))
      }),
    )
    await doPlanned()
    await tally.measure(world.owner, marketAt(day, tick))
    await desks.look(world.owner, market)
  }
}

/** Some at once, as clients would. Not all: they would wait for each other's locks until these time out. */
async function doTogether(works: readonly Work[]): Promise<void> {
  const left = works.values()
  const worker = async (): Promise<void> => {
    for (const work of left) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

function takeAll(works: Work[] | undefined): Work[] {
  return works?.splice(0) ?? []
}
