// Events at a steady rate, through the API, while those who deliver them are killed in turn.
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, withLines } from '../../server/local/api-process.ts'
import { ask, askOnce, type ListedEvent, type World } from './world.ts'

const lines = 5
const eventsOfVoucher = 50
const value = 1_000_00n
const timeoutMs = 30_000

/** Vouchers that are issued and then redeemed in many parts. Each of these is one event. */
export async function flowUnderKills(world: World): Promise<void> {
  const { api, shop, report } = world
  const { events, kills, eventsPerSecond } = world.size
  const startMs = performance.now()
  let asked = 0
  let made = 0

  const untilNextTurn = async (): Promise<void> => {
    const waitMs = startMs + (asked++ * 1_000) / eventsPerSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
  }
  const makeEvents = (): Promise<void> =>
    withLines([api], lines, (open) =>
      inTurn(open, events / eventsOfVoucher, async (line, n) => {
        await untilNextTurn()
        const voucher = await shop.makeVoucher(line, value)
        made++
        for (let part = 1; part < eventsOfVoucher; part++) {
          await untilNextTurn()
          const redemption = { reference: `webhooks-${n}-${part}`, voucher, amount: 1n }
          const { status, body } = await line.ask(shop.redeem(redemption))
          if (status !== 200) throw new Error(`A voucher was not redeemed: ${status} ${body}`)
          made++
        }
      }),
    )
  // By what is made and not by the clock, so that every kill falls into the flow. Somewhere in its stretch of it: at even distances
  // that are shorter than the wait for an answer, nobody would ever live to see the endpoint that hangs run out of time.
  const killInTurn = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      const killAt = ((kill + Math.random()) * events) / kills
      while (made < killAt) await sleep(20)
      report.killsMs.push(Date.now())
      await world.workers[kill % 2 === 0 ? 0 : 1].crash()
    }
  }
  await Promise.all([makeEvents(), killInTurn()])
  const seconds = (performance.now() - startMs) / 1_000
  console.log(`  ${made} events, ${(made / seconds).toFixed(0)} a second, and ${report.killsMs.length} kills`)
  const earlier = report.listed.length
  report.listed = await listEvents(world, earlier + made)
  report.events = report.listed.slice(earlier)
  report.expect(report.events.length >= made, `${made} events were made, and ${report.events.length} are listed`)
}

/** All of them, as a merchant reads them, once there are so many. */
export async function listEvents(world: Pick<World, 'api' | 'shop'>, atLeast: number): Promise<ListedEvent[]> {
  type Page = { events: ListedEvent[]; nextCursor: string; hasMore: boolean }
  const listed: ListedEvent[] = []
  const deadline = Date.now() + timeoutMs
  await withLines([world.api], 1, async ([line]) => {
    let query = ''
    for (;;) {
      const page = await ask<Page>(world, line, 'GET', `/events${query}`)
      listed.push(...page.events.map(({ id, timestamp }) => ({ id, timestamp })))
      query = `?cursor=${page.nextCursor}`
      if (page.hasMore) continue
      if (listed.length >= atLeast || Date.now() > deadline) return
      await sleep(100)
    }
  })
  return listed
}

export async function makeEndpoint(world: Pick<World, 'api' | 'shop'>, url: string) {
  const { endpoint, secret } = await askOnce<{ endpoint: { id: string }; secret: string }>(
    world,
    'POST',
    '/webhook-endpoints',
    { url },
  )
  return { id: endpoint.id, secret }
}
