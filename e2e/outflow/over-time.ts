// Three thieves over many days, in one process whose clock the drill moves.
import type { LocalDatabase } from '../../server/local/parts/database.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { acts, type Thief } from './acts.ts'
import { createDice, type Dice } from './dice.ts'
import { type Flow, isUnrated, measureDays, readFlows, type WorstDay } from './flows.ts'
import { makeHistory } from './loot.ts'
import { allowed, dollars, type Report } from './report.ts'
import { createDrillClock, openLiveShop, type Shop } from './shop.ts'

type Plan = { readonly acts: number; readonly controlActs: number; readonly seed: number }
type Stolen = 'a key' | 'a session' | 'a key and a session'

export async function stealOverTime(database: LocalDatabase, report: Report, plan: Plan): Promise<void> {
  const shop = await openLiveShop(database, createDrillClock('2026-05-04T10:00:00Z'))
  try {
    for (const [i, stolen] of (['a key', 'a session', 'a key and a session'] as const).entries()) {
      const dice = createDice(plan.seed + i)
      const flows = await play(shop, dice, stolen, Math.ceil(plan.acts / 3), true)
      report.acts += Math.ceil(plan.acts / 3)
      noteDays(report, stolen, flows)
    }
    const flows = await play(shop, createDice(plan.seed), 'a key', plan.controlActs, false)
    report.controlLeft = measureDays(flows, allowed).worst.total
    report.expect(
      report.controlLeft > allowed,
      'no more left without the rule than with it, so the drill proves nothing',
    )
    for (const fault of await verifyLedger(shop.books)) report.expect(false, fault)
  } finally {
    await shop.close()
  }
}

/** Lets one thief act against a shop with a new history. Returns what left. */
async function play(shop: Shop, dice: Dice, stolen: Stolen, count: number, hasRule: boolean): Promise<Flow[]> {
  const { time, world } = shop
  const thief: Thief = { shop, dice, loot: await makeHistory(shop), ...credentialsOf(shop, dice, stolen) }
  if (!hasRule) await shop.setRuleOff()
  const start = time.clock()
  for (let i = 0; i < count; i++) {
    time.pass(chooseStepMs(dice))
    // The worker does not always run in time. It has a rate when it does: without one, a converted payout waits for the next run.
    if (dice.isOneIn(12)) {
      await shop.setRate()
      await world.work()
    }
    if (i % 20 === 0) await shop.setRate()
    await dice.pick(acts)?.(thief)
  }
  const end = time.clock()
  // All pending outflows end before the next thief comes.
  time.pass(9 * 86_400_000)
  await shop.setRate()
  await world.work()
  if (!hasRule) await shop.setDefaultRule()
  const days = Math.round((end.getTime() - start.getTime()) / 86_400_000)
  const flows = await readFlows(shop.books, shop.environmentId, start, end)
  console.log(`  ${stolen}: ${count} acts in ${days} days, ${flows.filter(({ value }) => value > 0n).length} outflows`)
  return flows
}

function credentialsOf(shop: Shop, dice: Dice, stolen: Stolen): Pick<Thief, 'send' | 'read'> {
  const key = { send: shop.byKey, read: shop.readByKey }
  const session = { send: shop.bySession, read: shop.readBySession }
  if (stolen === 'a key') return key
  if (stolen === 'a session') return session
  const either = () => (dice.isOneIn(2) ? key : session)
  return { send: (path, body) => either().send(path, body), read: key.read }
}

/** Seconds, minutes or hours. */
function chooseStepMs(dice: Dice): number {
  const choice = dice.between(1, 20)
  if (choice <= 10) return dice.between(1, 60) * 1_000
  if (choice <= 15) return dice.between(1, 60) * 60_000
  return dice.between(1, 12) * 3_600_000
}

const shownMax = 3

function noteDays(report: Report, stolen: Stolen, flows: readonly Flow[]): void {
  const { worst, over } = measureDays(flows, allowed)
  const unrated = flows.filter(({ currency }) => isUnrated(currency)).length
  report.expect(unrated === 0, `with ${stolen}, a currency without a rate left ${unrated} times`)
  report.noteLeft(worst.total)
  report.over += over.length
  console.log(`    at most ${dollars(worst.total)} USD left in a rolling day`)
  if (over.length === 0) return
  report.expect(false, `with ${stolen}, ${over.length} rolling days are above ${dollars(allowed)} USD`)
  for (const day of [worst, ...over].slice(0, shownMax)) console.log(`    ${describe(day)}`)
}

/** The kinds of outflow that make up a day's loss. */
function describe({ total, flows }: WorstDay): string {
  const sums = new Map<string, bigint>()
  for (const { kind, value } of flows) sums.set(kind, (sums.get(kind) ?? 0n) + value)
  const parts = [...sums].map(([kind, sum]) => `${kind} ${sum < 0n ? '-' : ''}${dollars(sum < 0n ? -sum : sum)}`)
  return `${flows.at(-1)?.at.toISOString() ?? ''} ${dollars(total)} USD: ${parts.join(', ')}`
}
