// One game: a new database, the player in every lane, and the result.
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { openChain } from './chain.ts'
import { createDepositLane } from './deposits.ts'
import { createDesks, type Desks } from './desks.ts'
import { createExchangeLane } from './exchanges.ts'
import type { Market } from './market.ts'
import { createPaymentLane } from './payments.ts'
import { createRedemptionLane } from './redemptions.ts'
import { type Lane, playDays } from './session.ts'
import { createTally, type Tally } from './tally.ts'
import { createWorld, type World } from './world.ts'

export type Game = {
  readonly adminUrl: string
  readonly template: string
  readonly chainUrl: string
  readonly seed: string
  readonly nextDay: () => Market[]
}

export type Played = { readonly tally: Tally; readonly desks: Desks; readonly ledgerFaults: readonly string[] }

export async function play(game: Game, actsMax: number, prepare?: (world: World) => Promise<void>): Promise<Played> {
  const [first] = game.nextDay()
  if (first === undefined) throw new Error('The walk has no ticks.')
  const world = await createWorld(game.adminUrl, game.template, first)
  try {
    await prepare?.(world)
    const chain = await openChain(world, game.chainUrl)
    try {
      const [tally, desks] = [createTally(actsMax), createDesks()]
      const lanes = [...createLanes(world), createDepositLane(chain)]
      await playDays(world, { tally, desks, seed: game.seed }, game.nextDay, lanes)
      return { tally, desks, ledgerFaults: await verifyLedger(world.owner) }
    } finally {
      await chain.stop()
    }
  } finally {
    await world.stop()
  }
}

/** Redemptions are the cheapest acts, and no daily limit of a user stops them. */
const redemptionLanesEach = 3

function createLanes({ users, merchants }: World): Lane[] {
  const redemptions = merchants.flatMap((merchant) =>
    Array.from({ length: redemptionLanesEach }, () => createRedemptionLane(merchant)),
  )
  const payments = merchants.flatMap((merchant, i) => {
    const user = users[i]
    return user === undefined ? [] : [createPaymentLane(user, merchant)]
  })
  return [...users.map(createExchangeLane), ...payments, ...redemptions]
}
