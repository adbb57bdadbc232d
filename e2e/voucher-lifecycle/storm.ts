// The part of the voucher-lifecycle drill that runs every operation on one voucher concurrently.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type Connections, withConnections } from '../../server/local/drill/api-process.ts'
import { createRandom } from '../../server/local/parts/seeded-random.ts'
import { type Act, type ActKind, perform, type Done, type Voucher, voucherValue } from './acts.ts'
import { checkRound, readBalances } from './round-books.ts'
import { sendOrThrow, type Merchant, server, toMajor, type World } from './world.ts'

const faultsShownMax = 5
// In half of the rounds all acts start at the same moment. In the others, late acts meet the results of early ones.
const spreadMs = 400

/** A number from 0 to below `sides`, from a sequence that is the same in every run. */
type Dice = (sides: number) => number

/** Plays rounds of concurrent operations on one voucher, and checks the database after each. */
export async function runStorm(world: World): Promise<void> {
  const { report, isShort } = world
  const [rounds, atOnce] = isShort ? [10, 60] : [100, 200]
  const done: Done[] = []
  await withConnections([world.api, await world.startAnother()], atOnce, async (connections) => {
    for (let round = 0; round < rounds; round++) {
      const before = await readBalances(world)
      const log = await playRound(world, connections, round)
      const faults = await checkRound(world, round, log, before)
      report.rounds++
      if (faults.length > 0) report.illegal++
      report.faults.push(...faults.slice(0, faultsShownMax).map((fault) => `round ${round}: ${fault}`))
      done.push(...log)
    }
  })
  for (const line of describeResponses(done)) console.log(`  ${line}`)
  await expectBothWays(world)
}

/** The refunds must have met both live and cancelled vouchers. */
async function expectBothWays({ pool, report }: World): Promise<void> {
  const { rows } = await pool.query<{ kind: string; count: bigint }>(
    `select t.to_kind as kind, count(*) from ledger_transfers t join ledger_journals j on j.id = t.journal_id
      where j.kind = 'voucher.refund' group by t.to_kind order by t.to_kind`,
  )
  console.log(`  refunds went to: ${rows.map(({ kind, count }) => `${count} × ${kind}`).join(', ')}`)
  report.expect(rows.length === 2, 'no refund, or every refund, came after a cancel, so the drill proves nothing')
}

async function playRound({ a, b }: World, connections: Connections, round: number): Promise<Done[]> {
  const dice = createDice(round)
  const [connection] = connections
  const log: Done[] = []
  const issue = { amount: toMajor(voucherValue), currency: 'USD', referenceId: `storm-${round}-issue` }
  const voucher = await sendOrThrow(connection, a.post(`${server}/vouchers`, issue))
  const makeAct = createActs(round, voucher)
  const redeemed: Act[] = []
  for (let i = 0; i < 3 + dice(3); i++) {
    const act = makeAct('redeem', i % 2 === 0 ? b : a, { amount: 5_00n + BigInt(dice(8_00)) })
    redeemed.push(act)
    await perform(connection, act, log)
  }
  const acts = planStorm(dice, makeAct, { a, b, redeemed, round, count: connections.length })
  await Promise.all(
    acts.map(async (act, i) => {
      if (round % 2 === 1) await sleep(dice(spreadMs))
      const done = await perform(connections[i] ?? connection, act, log)
      if (done.kind === 'replace' && done.status === 200)
        await useReplacement(connections[i] ?? connection, done, round, { a, b }, log)
    }),
  )
  // The final state of the voucher is known before these acts are sent.
  const late = redeemed.map((act) => makeAct('refund', act.by, { of: act.reference, amount: 1n + BigInt(dice(50)) }))
  for (const act of [...late, makeAct('redeem', b, { amount: 1n }), makeAct('cancel', a)])
    await perform(connection, act, log)
  return log
}

type MakeAct = (kind: ActKind, by: Merchant, more?: Partial<Pick<Act, 'amount' | 'of' | 'isByPublicKey'>>) => Act

function createActs(round: number, voucher: Voucher, name = 'act'): MakeAct {
  let acts = 0
  return (kind, by, more = {}) => {
    const reference = `storm-${round}-${name}-${acts++}`
    return { kind, by, voucher, reference, of: '', amount: undefined, isByPublicKey: false, ...more }
  }
}

type Storm = {
  readonly a: Merchant
  readonly b: Merchant
  readonly redeemed: readonly Act[]
  readonly round: number
  readonly count: number
}

/** Shuffled. Every fourth refund, and every eighth redemption, is sent twice. */
function planStorm(dice: Dice, makeAct: MakeAct, { a, b, redeemed, round, count }: Storm): Act[] {
  const acts: Act[] = []
  const cancels = 1 + dice(4)
  for (let i = 0; i < cancels; i++) acts.push(makeAct('cancel', a))
  if (round % 3 === 1) for (let i = 0; i < count / 10; i++) acts.push(makeAct(i % 2 === 0 ? 'block' : 'unblock', a))
  if (round % 3 === 2) for (let i = 0; i < 1 + dice(4); i++) acts.push(makeAct('replace', a))
  const ofStorm: Act[] = []
  while (acts.length < count) {
    const isRefund = dice(2) === 0
    const act = isRefund ? planRefund(dice, makeAct, redeemed, ofStorm) : planRedemption(dice, makeAct, { a, b })
    if (!isRefund) ofStorm.push(act)
    acts.push(act)
    if (dice(isRefund ? 4 : 8) === 0 && acts.length < count) acts.push(act)
  }
  for (let i = acts.length - 1; i > 0; i--) {
    const j = dice(i + 1)
    ;[acts[i], acts[j]] = [acts[j] as Act, acts[i] as Act]
  }
  return acts
}

/** A refund of an earlier redemption, in parts that together exceed its amount, or of one that is in progress. */
function planRefund(dice: Dice, makeAct: MakeAct, redeemed: readonly Act[], ofStorm: readonly Act[]): Act {
  const isOfStorm = ofStorm.length > 0 && dice(4) === 0
  const from = isOfStorm ? ofStorm : redeemed
  const original = from[dice(from.length)] as Act
  const amount = dice(20) === 0 ? undefined : 1n + BigInt(dice(dice(3) === 0 ? 8_00 : 1_50))
  return makeAct('refund', original.by, { of: original.reference, amount })
}

function planRedemption(dice: Dice, makeAct: MakeAct, { a, b }: Pick<Storm, 'a' | 'b'>): Act {
  const amount = dice(40) === 0 ? undefined : 1n + BigInt(dice(dice(4) === 0 ? 20_00 : 2_00))
  return makeAct('redeem', dice(2) === 0 ? a : b, { amount, isByPublicKey: dice(2) === 0 })
}

/** Uses a replacement while operations on the old voucher continue. */
async function useReplacement(
  connection: Connection,
  done: Done,
  round: number,
  { a, b }: Pick<Storm, 'a' | 'b'>,
  log: Done[],
): Promise<void> {
  const makeAct = createActs(round, done.data, 'new')
  const sale = makeAct('redeem', b, { amount: 3_00n })
  const acts = [
    sale,
    makeAct('redeem', a, { amount: 2_00n }),
    makeAct('refund', b, { of: sale.reference, amount: 50n }),
  ]
  if (round % 4 !== 0) acts.push(makeAct('cancel', a), makeAct('refund', b, { of: sale.reference, amount: 25n }))
  for (const act of acts) await perform(connection, act, log)
}

function createDice(seed: number): Dice {
  const random = createRandom(Math.imul(seed + 1, 0x9e3779b1))
  return (sides) => (random() * 2 ** 32) % sides
}

/** How often each act got each response, and how long that took. */
function* describeResponses(log: readonly Done[]): Generator<string> {
  for (const [kind, ofKind] of Map.groupBy(log, (done) => done.kind)) {
    const counts = [...Map.groupBy(ofKind, ({ status, error }) => `${status} ${error}`.trim())]
    const responses = counts.map(([response, all]) => `${all.length} × ${response}`).sort()
    const ms = ofKind.map(({ sentMs, doneMs }) => doneMs - sentMs).sort((one, other) => one - other)
    const at = (part: number): string => (ms[Math.floor((ms.length - 1) * part)] ?? 0).toFixed(0)
    yield `${kind}: ${responses.join(', ')}; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`
  }
}
