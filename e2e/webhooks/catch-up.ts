// After the events: healthy endpoints get the rest without help. Failing endpoints are repaired and get what they missed.
import { setTimeout as sleep } from 'node:timers/promises'
import { distribute, withConnections } from '../../server/local/drill/api-process.ts'
import { send, type Endpoint, type World } from './world.ts'

// Longer than the wait before the second attempt.
const standstillMs = 10_000
// For all endpoints together.
const drainMs = 120_000
const connectionCount = 8

type Delivery = { readonly eventId: string; readonly nextAttemptAt: string }
type Page = { deliveries: Delivery[]; nextCursor: string }

/** Waits until every healthy endpoint has every event, or no more arrive. */
export async function settleHealthy(world: World): Promise<void> {
  const { endpoints, receiver, report } = world
  let before = -1
  let changedMs = Date.now()
  while (Date.now() - changedMs < standstillMs) {
    const taken = (await receiver.count()).filter((_, i) => endpoints[i]?.temper === 'healthy').map((one) => one.taken)
    if (taken.every((count) => count >= report.events.length)) break
    const sum = taken.reduce((a, b) => a + b, 0)
    if (sum !== before) {
      before = sum
      changedMs = Date.now()
    }
    await sleep(100)
  }
}

/** Checks that the failing endpoints did fail, otherwise the run proves nothing. Then repairs them and waits for the rest. */
export async function repairFailing(world: World): Promise<void> {
  const { endpoints, receiver, report } = world
  for (const [i, { arrived, taken, refused, held }] of (await receiver.count()).entries()) {
    const temper = endpoints[i]?.temper
    if (temper === 'hangs') {
      console.log(`  the endpoint that hangs got ${arrived} events and accepted ${taken}`)
      report.expect(held > 0 && taken === 0, 'the endpoint that should hang got no request, or responded')
    }
    if (temper === 'fails half') {
      const share = refused / (refused + taken)
      console.log(`  the endpoint that fails half of the time accepted ${taken} and refused ${refused} requests`)
      report.expect(
        share > 0.3 && share < 0.7,
        `the endpoint that should fail half of the time failed ${share.toFixed(2)} of it`,
      )
    }
  }
  await receiver.repair()
  const deadline = Date.now() + drainMs
  for (const endpoint of endpoints) await drain(world, endpoint, deadline)
}

/** Replays deliveries that would wait for minutes, until nothing is pending or nothing more is accepted. */
async function drain(world: World, { id, temper }: Endpoint, deadline: number): Promise<void> {
  const { api, report } = world
  const startMs = Date.now()
  let changedMs = startMs
  let replays = 0
  let pending = await listDeliveries(world, id, 'pending')
  await withConnections([api], connectionCount, async (connections) => {
    while (pending.length > 0 && Date.now() < Math.min(deadline, changedMs + standstillMs)) {
      const late = pending.filter(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > Date.now())
      // Nothing failed at a healthy endpoint, so it needs no replay.
      if (temper !== 'healthy') {
        await distribute(connections, late.length, (connection, i) =>
          send(world, connection, 'POST', `/webhook-endpoints/${id}/deliveries/${late[i]?.eventId}/replay`),
        )
        replays += late.length
      }
      await sleep(200)
      const left = await listDeliveries(world, id, 'pending')
      if (left.length < pending.length) changedMs = Date.now()
      pending = left
    }
  })
  const failed = await listDeliveries(world, id, 'failed')
  report.expect(pending.length === 0, `${pending.length} deliveries stay pending (${temper})`)
  report.expect(failed.length === 0, `${failed.length} deliveries failed for good (${temper})`)
  if (temper === 'healthy') return
  console.log(`  ${temper}: ${replays} replays, drained in ${((Date.now() - startMs) / 1_000).toFixed(1)} s`)
}

async function listDeliveries(world: World, id: string, status: 'pending' | 'failed'): Promise<Delivery[]> {
  const found: Delivery[] = []
  await withConnections([world.api], 1, async ([connection]) => {
    let cursor = ''
    do {
      const query = `?status=${status}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
      const page = await send<Page>(world, connection, 'GET', `/webhook-endpoints/${id}/deliveries${query}`)
      found.push(...page.deliveries)
      cursor = page.nextCursor
    } while (cursor !== '')
  })
  return found
}
