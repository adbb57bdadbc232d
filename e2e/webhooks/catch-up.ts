// After the events: the healthy endpoints come to their end by themselves, the sick ones are healed and given what they missed.
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, withLines } from '../../server/local/api-process.ts'
import { ask, type Endpoint, type World } from './world.ts'

// More than what failed once waits for its second try.
const standstillMs = 10_000
// For all endpoints together.
const drainMs = 120_000
const lines = 8

type Delivery = { readonly eventId: string; readonly nextAttemptAt: string }
type Page = { deliveries: Delivery[]; nextCursor: string }

/** Until every healthy endpoint has everything, or nothing more comes. */
export async function settleHealthy(world: World): Promise<void> {
  const { endpoints, receiver, report } = world
  let before = -1
  let changedMs = Date.now()
  while (Date.now() - changedMs < standstillMs) {
    const taken = (await receiver.count()).filter((_, i) => endpoints[i]?.temper === 'healthy').map((one) => one.taken)
    if (taken.every((count) => count >= report.events.length)) break
    const sum = taken.reduce((a, b) => a + b, 0)
    if (sum !== before) [before, changedMs] = [sum, Date.now()]
    await sleep(100)
  }
}

/** Tells what the sick ones did, without which the run proves nothing. Then heals them, and waits until nothing is open anywhere. */
export async function healSick(world: World): Promise<void> {
  const { endpoints, receiver, report } = world
  for (const [i, { arrived, taken, refused, held }] of (await receiver.count()).entries()) {
    const temper = endpoints[i]?.temper
    if (temper === 'hangs') {
      console.log(`  the one that hangs was sent ${arrived} events and answered ${taken}`)
      report.expect(held > 0 && taken === 0, 'the endpoint that should hang was never asked, or answered')
    }
    if (temper === 'fails half') {
      const share = refused / (refused + taken)
      console.log(`  the one that fails half took ${taken} and refused ${refused} times`)
      report.expect(share > 0.3 && share < 0.7, `the endpoint that should fail half failed ${share.toFixed(2)}`)
    }
  }
  await receiver.heal()
  const deadline = Date.now() + drainMs
  for (const endpoint of endpoints) await drain(world, endpoint, deadline)
}

/** Sends again at once what would wait for minutes, until nothing is pending, or nothing more is taken. */
async function drain(world: World, { id, temper }: Endpoint, deadline: number): Promise<void> {
  const { api, report } = world
  const startMs = Date.now()
  let changedMs = startMs
  let replays = 0
  let pending = await listDeliveries(world, id, 'pending')
  await withLines([api], lines, async (open) => {
    while (pending.length > 0 && Date.now() < Math.min(deadline, changedMs + standstillMs)) {
      const late = pending.filter(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > Date.now())
      // A healthy endpoint has no need of it: nothing that it was sent failed.
      if (temper !== 'healthy') {
        await inTurn(open, late.length, (line, i) =>
          ask(world, line, 'POST', `/webhook-endpoints/${id}/deliveries/${late[i]?.eventId}/replay`),
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
  report.expect(pending.length === 0, `${pending.length} deliveries stay open (${temper})`)
  report.expect(failed.length === 0, `${failed.length} deliveries failed for good (${temper})`)
  if (temper === 'healthy') return
  console.log(`  ${temper}: ${replays} replays, drained in ${((Date.now() - startMs) / 1_000).toFixed(1)} s`)
}

async function listDeliveries(world: World, id: string, status: 'pending' | 'failed'): Promise<Delivery[]> {
  const found: Delivery[] = []
  await withLines([world.api], 1, async ([line]) => {
    let cursor = ''
    do {
      const query = `?status=${status}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
      const page = await ask<Page>(world, line, 'GET', `/webhook-endpoints/${id}/deliveries${query}`)
      found.push(...page.deliveries)
      cursor = page.nextCursor
    } while (cursor !== '')
  })
  return found
}
