// Creates events at a steady rate through the API while the workers that deliver them are killed in turn.
import { setTimeout as sleep } from 'node:timers/promises'
import { distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { send, sendOnce, type ListedEvent, type World } from './world.ts'

const connectionCount = 5
const eventsPerVoucher = 50
const value = 1_000_00n
const timeoutMs = 30_000

/** Issues vouchers and redeems them in many parts. Each of these is one event. */
export async function flowUnderKills(world: World): Promise<void> {
  const { api, shop, report } = world
  const { events, kills, eventsPerSecond } = world.size
  const startMs = performance.now()
  let turns = 0
  let made = 0

  const untilNextTurn = async (): Promise<void> => {
    const waitMs = startMs + (turns++ * 1_000) / eventsPerSecond - performance.now()
    if (waitMs > 0) await sleep(waitMs)
  }
  const makeEvents = (): Promise<void> =>
    withConnections([api], connectionCount, (connections) =>
      distribute(connections, events / eventsPerVoucher, async (connection, n) => {
        await untilNextTurn()
        const voucher = await shop.makeVoucher(connection, value)
        made++
        for (let part = 1; part < eventsPerVoucher; part++) {
          await untilNextTurn()
          const redemption = { reference: `webhooks-${n}-${part}`, voucher, amount: 1n }
          const { status, body } = await connection.send(shop.redeem(redemption))
          if (status !== 200) throw new Error(`A voucher was not redeemed: ${status} ${body}`)
          made++
        }
      }),
    )
  // Kills by the number of events and not by the clock, so that every kill happens during the flow, at a random moment: at
  // regular intervals shorter than the delivery timeout, no worker would ever see the hanging endpoint time out.
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
  report.expect(report.events.length >= made, `${made} events were created, and ${report.events.length} are listed`)
}

/** All events, as a merchant reads them, as soon as there are at least so many. */
export async function listEvents(world: Pick<World, 'api' | 'shop'>, atLeast: number): Promise<ListedEvent[]> {
  type Page = { events: ListedEvent[]; nextCursor: string; hasMore: boolean }
  const listed: ListedEvent[] = []
  const deadline = Date.now() + timeoutMs
  await withConnections([world.api], 1, async ([connection]) => {
    let query = ''
    for (;;) {
      const page = await send<Page>(world, connection, 'GET', `/events${query}`)
      listed.push(...page.events.map(({ id, timestamp }) => ({ id, timestamp })))
      query = `?cursor=${page.nextCursor}`
      if (page.hasMore) continue
      if (listed.length >= atLeast || Date.now() > deadline) return
      await sleep(100)
    }
  })
  return listed
}

export async function makeEndpoint(
  world: Pick<World, 'api' | 'shop'>,
  url: string,
): Promise<{ id: string; secret: string }> {
  const { endpoint, secret } = await sendOnce<{ endpoint: { id: string }; secret: string }>(
    world,
    'POST',
    '/webhook-endpoints',
    { url },
  )
  return { id: endpoint.id, secret }
}
