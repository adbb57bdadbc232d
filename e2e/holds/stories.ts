// What happens to each hold of the drill: clients create it, and then capture, extend, release and abandon it at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connections, distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { startLoad } from '../steady-load.ts'
import type { Voucher } from '../vouchers/world.ts'
import { issueVoucher, type KnownHold, type Reply, sendUntilAnswered, server, toMajor, type World } from './world.ts'

/** Requests of one client that may run at the same time, on connections of their own. */
type Lanes = readonly [Connections, Connections]

const clients = 12
const voucherLife = { minSeconds: 4, moreSeconds: 12 }

/** Of all places, the first third has vouchers that expire, and the second third vouchers that are replaced. */
const places = 24
const isExpiring = (place: number): boolean => place < places / 3
const isReplaced = (place: number): boolean => place >= places / 3 && place < (2 * places) / 3
const newLife = (): number => voucherLife.minSeconds + Math.random() * voucherLife.moreSeconds

/** Runs all holds beside redemptions, replacements and kills. */
export async function runHolds(world: World): Promise<void> {
  const { apis, shop, vouchers, report, isShort } = world
  const plan = isShort ? { holds: 200, kills: 2 } : { holds: 10_000, kills: 10 }
  await withConnections(apis, clients * 4 + 2, async (connections) => {
    const [first, second, ...rest] = connections
    const ownLane: Connections = [first, second ?? first]
    await sendUntilAnswered(
      world,
      ownLane,
      shop.request('POST', '/sandbox/fund', { amount: 9_000_000, currency: 'USD' }),
    )
    for (let place = 0; place < places; place++)
      vouchers[place] = await issueVoucher(world, ownLane, isExpiring(place) ? newLife() : undefined)
    const load = startLoad(apis, shop, { vouchers, clients: 3, perSecond: 30 })
    const lanes = Array.from({ length: clients }, (_, i): Lanes => {
      const lane = (from: number): Connections => rest.slice(i * 4 + from, i * 4 + from + 2) as unknown as Connections
      return [lane(0), lane(2)]
    })
    let isDone = false
    const disturbing = [killInTurn(world, plan, () => isDone), replaceVouchers(world, ownLane, () => isDone)]
    await distribute([...lanes], plan.holds, (each, i) => tellStory(world, each, i))
    isDone = true
    await Promise.all([...disturbing, load.stop()])
    report.redemptions = load.acknowledged
    report.counts.refused += load.refused.length
    const unexpected = load.refused.filter(
      (text) => !/VOUCHER_(CANCELLED|EXPIRED|NOT_FOUND|EMPTY|BALANCE_TOO_LOW)/.test(text),
    )
    report.expect(unexpected.length === 0, `redemptions were refused: ${unexpected.slice(0, 3).join(' ')}`)
  })
  console.log('  ', report.counts)
  report.expect(report.kills === plan.kills, `only ${report.kills} processes were killed`)
  report.expect(report.counts.retries > 0, 'no kill interrupted a request, so the drill proves nothing')
  report.expect(report.counts.replaced > 0, 'no voucher was replaced, so the drill proves nothing')
  report.expect(report.counts['expired vouchers'] > 0, 'no voucher expired, so the drill proves nothing')
}

async function killInTurn(
  { apis, worker, report }: World,
  plan: { holds: number; kills: number },
  isDone: () => boolean,
): Promise<void> {
  const targets = [apis[0], apis[1], worker]
  for (let kill = 1; kill <= plan.kills && !isDone(); kill++) {
    while (report.holds.length < (kill * plan.holds) / (plan.kills + 1) && !isDone()) await sleep(20 * Math.random())
    await targets[kill % targets.length]?.crash()
    report.kills++
    console.log(`  kill ${kill} of ${plan.kills}, ${report.holds.length} holds`)
  }
}

/** Replaces the vouchers of its places all the time. While one is held, that is refused. */
async function replaceVouchers(world: World, lane: Connections, isDone: () => boolean): Promise<void> {
  const { shop, vouchers, report } = world
  for (let turn = 0; !isDone(); turn++) {
    const place = turn % places
    const old = vouchers[place] as Voucher
    if (!isReplaced(place)) continue
    const path = `${server}/vouchers/${old.id}/replace`
    const reply = await sendUntilAnswered(world, lane, shop.request('POST', path, { referenceId: `lost-${old.id}` }))
    if (reply.status === 200) {
      vouchers[place] = { id: reply.data.id, code: reply.data.code, value: old.value }
      report.counts.replaced++
    } else if (reply.error === 'VOUCHER_HELD') report.counts['replacements refused']++
    else report.expect(false, `a replacement was refused: ${reply.status} ${reply.error}`)
    await sleep(100)
  }
}

/** Creates one hold, on whatever voucher can be held, and lets it end. */
async function tellStory(world: World, [lane, other]: Lanes, i: number): Promise<void> {
  const { shop, vouchers, report } = world
  const fate = i % 8
  const amount = 1_00n + BigInt((i * 7919) % 300)
  const expiresInSeconds = fate === 0 ? 1 : 3_600
  for (let attempt = 0; ; attempt++) {
    const place = Math.floor(Math.random() * places)
    const body = { voucherCode: vouchers[place]?.code, amount: toMajor(amount), expiresInSeconds }
    const reference = `hold-${i}-${attempt}`
    const request = shop.request('POST', '/merchant-integrations/voucher-holds', { ...body, referenceId: reference })
    const replies = await Promise.all([
      sendUntilAnswered(world, lane, request),
      sendUntilAnswered(world, other, request),
    ])
    // The voucher may have been replaced or expired between the two: then one of them created the hold.
    const created = replies.find(({ status }) => status === 200)
    if (created !== undefined) {
      const ids = new Set(replies.filter(({ status }) => status === 200).map(({ data }) => data.id))
      report.expect(ids.size === 1, `${reference} made ${ids.size} holds`)
      const hold: KnownHold = { id: created.data.id, amount, captures: [] }
      report.holds.push(hold)
      await endings[fate]?.(createActs(world, [lane, other], hold))
      return
    }
    await replaceExpired(world, lane, place, replies)
  }
}

// A hold of one second may be over before a busy machine has posted it.
const refusals = [
  'VOUCHER_EXPIRED',
  'VOUCHER_CANCELLED',
  'VOUCHER_BALANCE_TOO_LOW',
  'VOUCHER_EMPTY',
  'VOUCHER_HOLD_EXPIRED',
]

/** Puts a new voucher at the place of an expired one. */
async function replaceExpired(
  world: World,
  lane: Connections,
  place: number,
  replies: readonly Reply[],
): Promise<void> {
  const { vouchers, report } = world
  const [{ error }] = replies as [Reply]
  report.counts.refused++
  if (error === 'VOUCHER_EXPIRED' && isExpiring(place)) {
    report.counts['expired vouchers']++
    vouchers[place] = await issueVoucher(world, lane, newLife())
  } else if (!refusals.includes(error)) report.expect(false, `a hold was refused: ${error}`)
}

type Acts = ReturnType<typeof createActs>

function createActs(world: World, [lane, other]: Lanes, hold: KnownHold) {
  const { shop, report } = world
  let captures = 0
  const act = async (on: Connections, path: string, body: object = {}): Promise<Reply> => {
    const reply = await sendUntilAnswered(world, on, shop.request('POST', path, body))
    const isExpected = reply.status === 200 || /^VOUCHER_HOLD_(ENDED|EXPIRED|TOO_SMALL)$/.test(reply.error)
    report.expect(isExpected, `${path} was refused: ${reply.status} ${reply.error}`)
    return reply
  }
  const path = `${server}/voucher-holds/${hold.id}`
  const capture = async (on: Connections, amount: bigint, more: object = {}): Promise<Reply> => {
    const reference = `capture-${hold.id}-${captures++}`
    const reply = await act(on, `${path}/capture`, { amount: toMajor(amount), referenceId: reference, ...more })
    if (reply.status === 200) hold.captures.push({ reference, amount, transactionId: reply.data.transactionId })
    return reply
  }
  return {
    amount: hold.amount,
    one: lane,
    two: other,
    capture,
    release: (on: Connections) => act(on, `${path}/release`),
    extend: (on: Connections) => act(on, `${path}/extend`, { expiresInSeconds: 7_200 }),
    expire: (on: Connections) => act(on, `/sandbox/voucher-holds/${hold.id}/expire`),
  }
}

/** How a hold ends. Those that may be open afterwards are released. */
const endings: readonly ((acts: Acts) => Promise<unknown>)[] = [
  // By itself, while captures go on until they are refused.
  async ({ capture, amount, one }) => {
    for (const part of [amount / 2n, amount / 4n, amount / 8n]) {
      await capture(one, part)
      await sleep(400 * Math.random())
    }
  },
  ({ capture, amount, one }) => capture(one, amount),
  // Two captures for the last unit.
  async ({ capture, amount, one, two, release }) => {
    await Promise.all([capture(one, amount - 1n), capture(two, amount - 1n)])
    await release(one)
  },
  ({ capture, amount, one, two, release }) => Promise.all([capture(one, amount), release(two)]),
  async ({ capture, amount, one, two, expire }) => {
    await capture(one, amount / 2n)
    await Promise.all([capture(one, amount - amount / 2n), expire(two)])
  },
  async ({ capture, extend, amount, one, two, release }) => {
    await Promise.all([extend(one), capture(two, amount / 3n)])
    await Promise.all([capture(one, amount / 3n, { final: true }), extend(two)])
    await release(one)
  },
  ({ release, one, two }) => Promise.all([release(one), release(two)]),
  async ({ capture, amount, one, two, release }) => {
    await Promise.all([capture(one, amount / 2n), capture(two, amount / 2n)])
    await release(one)
  },
]
