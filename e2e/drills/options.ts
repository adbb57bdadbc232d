// A player who knows every rate in advance, and controls every user and merchant, always uses the best price the platform
// offers: exchange quotes, redemption quotes, converted payments, their refunds and deposit prices. With default settings
// the player must not win. In a second database without a spread, and with a tolerance that accepts every price, the same
// player must win with each kind of price. Otherwise the drill could not detect a win.
//   npm run drill -- options [short] [seed]
import { startAnvil } from '../../server/local/parts/anvil.ts'
import { createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { centsUp, createWalk, unitsPerCent } from '../options/market.ts'
import { type Game, play } from '../options/play.ts'
import { describeTrip, gainOf, type Tally } from '../options/tally.ts'
import { switchRuleOff } from '../options/world.ts'
import { runParts } from '../run-parts.ts'

const startMs = performance.now()
const size = process.argv.includes('short') ? { acts: 2_000, control: 400 } : { acts: 100_000, control: 5_000 }
/** The same seed gives the same rates and choices. Which of two concurrent requests hits a limit may still differ. */
const seed = process.argv.find((word) => /^[0-9a-f]{8}$/.test(word)) ?? systemRandom(4).toString('hex')
const dayMs = 86_400_000
/** Later than the chain's start time, because block times can only go forward. */
const firstMidnight = new Date(Math.ceil(Date.now() / dayMs) * dayMs)

const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
let line = ''
let controlGain = 0n

console.log(`seed ${seed}`)
await runParts(faults, stops, createGame, [
  ['default settings', playByDefault],
  ['control: no spread, every price accepted', playControl],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(`options ${line}control_gain=${controlGain} seconds=${seconds}`)
process.exit(faults.length === 0 ? 0 : 1)

async function createGame(): Promise<Game> {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB' } })
  stops.push(postgres.stop)
  const chain = await startAnvil(['--slots-in-an-epoch', '1'])
  stops.push(chain.stop)
  const template = await createTemplate(postgres.adminUrl)
  const nextDay = createWalk(seed, firstMidnight)
  return { adminUrl: postgres.adminUrl, template, chainUrl: chain.url, seed, nextDay }
}

async function playByDefault(game: Game): Promise<void> {
  const { tally, desks, ledgerFaults } = await play(game, size.acts)
  showGains(tally)
  const gain = centsUp(totalOf(tally))
  const { loss, limit } = desks.worst()
  const [deskLoss, deskLimit] = [centsUp(loss), limit / unitsPerCent]
  const best = tally.best()
  line =
    `acts=${tally.acts()} player_gain=${gain} best_trip=${best === undefined ? 0n : centsUp(gainOf(best))} ` +
    `wins=${tally.countWins()} desk_loss_max=${deskLoss} limit=${deskLimit} `
  faults.push(...ledgerFaults)
  if (gain > 0n) faults.push(`the player won ${gain} cents in total`)
  if (desks.isExceeded()) faults.push(`an exchange desk lost ${deskLoss} cents; its limit is ${deskLimit}`)
  for (const [kind, value] of tally.gains()) {
    const count = tally.countWins(kind)
    const most = tally.best(kind)
    if (count > 0 && most !== undefined)
      faults.push(
        `${count} ${kind} trips won; all ${kind} trips together ${centsUp(value)} cents. The best: ${describeTrip(most)}`,
      )
  }
}

async function playControl(game: Game): Promise<void> {
  const { tally, ledgerFaults } = await play(game, size.control, ({ owner }) => switchRuleOff(owner))
  showGains(tally)
  controlGain = totalOf(tally) / unitsPerCent
  faults.push(...ledgerFaults)
  for (const kind of tally.gains().keys())
    if (tally.countWins(kind) === 0)
      faults.push(`the player did not win with ${kind} although the rule is off: the drill proves nothing`)
}

function totalOf(tally: Tally): bigint {
  return [...tally.gains().values()].reduce((sum, each) => sum + each, 0n)
}

function showGains(tally: Tally): void {
  const each = [...tally.gains()].map(([kind, value]) => `${kind} ${centsUp(value)}`)
  console.log(`  gains in cents: ${each.join(', ')}`)
  console.log(`  refused: ${tally.refused()}`)
}
