// Onchain vouchers are redeemed at tills and by their holders, blocked, cancelled and expire, while workers are killed at every step and
// blocks are undone: each redemption pays once or not at all, and the ledger has what the vaults hold, to the wei.
//   npm run drill -- onchain [short]
import { setTimeout as sleep } from 'node:timers/promises'
import { withConnections } from '../../server/local/drill/api-process.ts'
import { type Balances, compare, readTreasury, settle } from '../onchain/check.ts'
import { issue } from '../onchain/issue.ts'
import { createKiller } from '../onchain/killer.ts'
import { redeemAll, redeemDirectly, reorganise, type Sent, withdrawSome } from '../onchain/redeem.ts'
import { createWorld, pick, until, type World } from '../onchain/world.ts'
import { runParts } from '../run-parts.ts'

const isShort = process.argv.includes('short')
const size = isShort
  ? {
      single: 12,
      batches: 2,
      batchSize: 4,
      redemptions: 25,
      reorgs: 2,
      deep: 1,
      withdrawn: 2,
      lifeMs: 15_000,
      ms: 12_000,
    }
  : {
      single: 400,
      batches: 6,
      batchSize: 100,
      redemptions: 2_000,
      reorgs: 24,
      deep: 5,
      withdrawn: 40,
      lifeMs: 90_000,
      ms: 420_000,
    }
const killer = createKiller(isShort ? 1 : 2, isShort ? 0.34 : 1, isShort ? 1_000 : 4_000)

const startMs = performance.now()
const faults: string[] = []
const stops: (() => Promise<unknown>)[] = []
const counts = { redemptions: 0, direct: 0, reorgs: 0, refused: 0 }
let found = { lostWei: 0n, doubled: 0 }
let before: Balances = { ETH: 0n, USDT: 0n }
let issued = 0

await runParts(faults, stops, () => createWorld(stops, killer), [
  ['onchain vouchers', issueUnderKills],
  ['redemptions under kills and reorganisations, against holders on the network', redeemUnderKills],
  ['waiting until nothing is on its way', (world) => settle(world)],
  ['the network against the ledger', async (world) => void (found = await compare(world, faults, before))],
])
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(
  `onchain vouchers=${issued} redemptions=${counts.redemptions} direct=${counts.direct} kills=${killer.kills} ` +
    `reorgs=${counts.reorgs} lost_wei=${found.lostWei} doubled=${found.doubled} seconds=${seconds}`,
)
process.exit(faults.length === 0 && found.lostWei === 0n && found.doubled === 0 ? 0 : 1)

async function issueUnderKills(world: World): Promise<void> {
  before = await readTreasury(world)
  killer.isOn = !isShort
  await issue(world, size, size.lifeMs)
  issued = world.vouchers.length
  await until(world, `select from onchain_vouchers where state = 'open' limit 1`, 'a voucher is on its network')
}

/** Goes on after the last redemption while some step has not occurred yet. */
async function redeemUnderKills(world: World): Promise<void> {
  killer.isOn = true
  const endMs = performance.now() + size.ms
  const isOver = (): boolean => performance.now() > endMs
  let isDone = false
  const sent: Sent[] = []
  const disturb = async (): Promise<void> => {
    const disturbances = [
      ...Array.from({ length: size.reorgs }, (_, i) => () => reorganise(world, 1 + (i % 2), sent, counts)),
      // Finality is two blocks deep, so these undo final blocks.
      ...Array.from({ length: size.deep }, () => () => reorganise(world, 5, sent, counts)),
    ].toSorted(() => Math.random() - 0.5)
    for (const disturbance of disturbances) {
      await sleep((size.ms * 0.6) / disturbances.length)
      await disturbance()
    }
  }
  const redeemOnNetwork = async (): Promise<void> => {
    while (!isDone) {
      await sleep(isShort ? 700 : 250)
      if (world.mining.isHeld) continue
      const made = await redeemDirectly(world, pick(world.vouchers)).catch(() => undefined)
      if (made === undefined) continue
      sent.push(made)
      counts.direct++
    }
  }
  const withdraw = (): Promise<void> =>
    withConnections([world.api], 1, async ([connection]) => {
      for (let i = 0; i < size.withdrawn; i++) {
        await sleep((size.ms * 0.6) / size.withdrawn)
        await withdrawSome(world, connection)
      }
    })
  const direct = redeemOnNetwork()
  await Promise.all([redeemAll(world, size.redemptions, counts, isOver), disturb(), withdraw()])
  while (killer.left().length > 0 && !isOver()) await redeemAll(world, counts.redemptions + 5, counts, isOver)
  isDone = true
  await direct
  killer.isOn = false
  await killer.rest()
  // A short run may end before a worker reaches some of its steps.
  if (!isShort) for (const step of killer.left()) faults.push(`no worker was killed at: ${step}`)
}
