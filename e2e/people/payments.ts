// The parts of the people drill that authorise, decline and cancel payment requests repeatedly and concurrently.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type Connections, withConnections } from '../../server/local/drill/api-process.ts'
import type { Pool } from '../../server/src/base/db.ts'
import { sendOrThrow, type Merchant, server, toMajor } from '../voucher-lifecycle/world.ts'
import { countOf, tally } from '../vouchers/world.ts'
import { readBalance } from './books.ts'
import { addPerson, connectAll, fund, type Person, pin, type World } from './world.ts'

/** A merchant and a payer. No other client moves their money, so that it can be counted after each round. */
type Pair = { readonly merchant: Merchant; readonly person: Person }
type Request = { readonly id: string; readonly reference: string }

const amount = 2_50n
let references = 0

async function createPair(world: World, code: string): Promise<Pair> {
  const pair = { merchant: await world.openMerchant(code), person: await addPerson(world, 'test') }
  await withConnections(world.apis, 1, ([connection]) =>
    fund(world, connection, pair.merchant, 10_000_00n, pair.person),
  )
  return pair
}

async function requestPayment({ pool }: World, connection: Connection, { merchant, person }: Pair): Promise<Request> {
  const reference = `sale-${references++}`
  const body = { amount: toMajor(amount), currency: 'USD', user_identifier: person.email, reference_id: reference }
  await sendOrThrow(connection, merchant.post('/merchant-integrations/payment-request', body))
  const { rows } = await pool.query<{ id: string }>(
    'select id from transactions where environment_id = $1 and reference = $2',
    [merchant.environmentId, reference],
  )
  return { id: rows[0]?.id ?? '', reference }
}

function actOf({ person }: Pair, { id }: Request, act: 'authorise' | 'decline'): string {
  return person.post(`/wallet/payment-requests/${id}/${act}`, act === 'authorise' ? { pin } : {})
}

/** 200 authorisations of one request at once, at both processes. */
export async function authoriseAtOnce(world: World): Promise<void> {
  const { pool, apis, report, books, isShort } = world
  const pair = await createPair(world, 'ATONCE')
  await withConnections(apis, 200, async (connections) => {
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const request = await requestPayment(world, connections[0], pair)
      await connectAll(connections)
      const responses = await Promise.all(
        connections.map((connection) => connection.send(actOf(pair, request, 'authorise'))),
      )
      report.authorisations += responses.length
      if (countOf(responses, 200) > 0) books.notePayment(pair.person.id, pair.merchant.environmentId, amount)
      report.expect(countOf(responses, 200) === connections.length, `authorisations got ${tally(responses)}`)
      const end = await readEnd(pool, request.id)
      report.expect(end === 'COMPLETED by payment.completed', `200 authorisations at once: ${end}`)
      await checkPair(world, pair, '200 authorisations at once')
    }
  })
}

async function checkPair({ pool, report, books }: World, { person, merchant }: Pair, when: string): Promise<void> {
  for (const ownerId of [person.id, merchant.environmentId]) {
    const [has, expected] = [await readBalance(pool, ownerId), books.balanceOf(ownerId)]
    report.expect(has === expected, `${when}: ${ownerId} has ${has}, expected ${expected}`)
  }
}

const acts = ['authorise', 'decline', 'cancel'] as const
type Act = (typeof acts)[number]

/** The four ways in which a request may end: its status, its event, and the three response statuses. */
const endings = {
  completed: 'COMPLETED by payment.completed, responses 200 409 409',
  failed: 'FAILED by payment.declined, responses 409 200 409',
  withdrawn: 'CANCELED by payment.canceled withdrawn, responses 409 409 200',
  // A merchant who cancels an expired request gets a success.
  expired: 'CANCELED by payment.canceled expired, responses 409 409 200',
} as const
type Ending = keyof typeof endings
const endingNames = Object.keys(endings) as Ending[]

// The worker waits this long between two checks for expired requests.
const checkEveryMs = 2_000
const endTimeoutMs = 20_000
const pairsAtOnce = 20
// After the last round, as long as one of the four ways has not been seen.
const extraRounds = 60
const connectionsEach = 4

/** Authorises, declines, cancels and lets expire at the same moment, repeatedly, with several pairs in parallel. */
export async function endAtOnce(world: World): Promise<void> {
  const { pool, apis, report, isShort } = world
  const rounds = isShort ? 25 : 500
  const isCovered = (): boolean => endingNames.every((name) => report.ends[name] > 0)
  const pilot = await createPair(world, 'PILOT')
  const pairs: Pair[] = []
  for (let i = 0; i < pairsAtOnce; i++) pairs.push(await createPair(world, `PAIR${i}`))
  const outcomes = new Map<string, string>()

  await withConnections(apis, connectionsEach * pairsAtOnce, async (connections) => {
    await connectAll(connections)
    let checkedMs = await watchCheck(world, connections[0], pilot, Date.now())
    while (report.rounds < rounds || (!isCovered() && report.rounds < rounds + extraRounds)) {
      // The worker is one of the four, so the others act when its next check is due.
      const checkMs = checkedMs + checkEveryMs
      const first = report.rounds
      report.rounds += pairsAtOnce
      const racing = pairs.map(async (pair, i) => {
        const own = connections.slice(i * connectionsEach, (i + 1) * connectionsEach) as Connections
        const { id, end } = await race(world, own, pair, first + i, checkMs)
        outcomes.set(id, end)
      })
      const watching = watchCheck(
        world,
        connections[connectionsEach - 1] as Connection,
        pilot,
        checkMs + checkEveryMs / 2,
      )
      ;[checkedMs] = await Promise.all([watching, ...racing])
    }
  })
  console.log(`  ${JSON.stringify(report.ends)}`)
  for (const name of endingNames)
    report.expect(report.ends[name] > 0, `no request ended as ${name}, so the drill proves nothing about that`)
  // The worker has checked many times since, and a request must not have changed after its end.
  for (const [id, end] of outcomes) {
    const now = await readEnd(pool, id)
    report.expect(now === end, `${id} ended as ${end}, and is now ${now}`)
  }
}

/** Lets a request expire unanswered, to learn when the worker checks. */
async function watchCheck(world: World, connection: Connection, pilot: Pair, lapsesMs: number): Promise<number> {
  const { id } = await requestPayment(world, connection, pilot)
  await setLapse(world.pool, id, lapsesMs)
  return (await waitForEnd(world.pool, id)).getTime()
}

async function race(world: World, connections: Connections, pair: Pair, round: number, checkMs: number) {
  const { pool, report, books } = world
  const request = await requestPayment(world, connections[0], pair)
  const when = planRound(round, checkMs)
  await setLapse(pool, request.id, when.lapse)
  const send: Record<Act, string> = {
    authorise: actOf(pair, request, 'authorise'),
    decline: actOf(pair, request, 'decline'),
    cancel: pair.merchant.post(`${server}/payment-requests/${request.reference}/cancel`, {}),
  }
  const responses = await Promise.all(
    acts.map(async (act, i) => {
      await sleep(when[act] - Date.now())
      // Adjacent connections go to different processes, and each act goes to the other process in the next round.
      return (connections[(round + i) % connectionsEach] as Connection).send(send[act])
    }),
  )
  await waitForEnd(pool, request.id)
  const end = await readEnd(pool, request.id)
  if (responses[0]?.status === 200) books.notePayment(pair.person.id, pair.merchant.environmentId, amount)
  const seen = `${end}, responses ${responses.map(({ status }) => status).join(' ')}`
  const ending = endingNames.find((name) => endings[name] === seen)
  if (ending !== undefined) report.ends[ending]++
  adjustLead(round, ending)
  report.expect(ending !== undefined, `round ${round} ended as ${seen}`)
  await checkPair(world, pair, `round ${round}, ${seen}`)
  return { id: request.id, end }
}

// How far each of them is ahead when it is first. An authorisation has the most work.
const leadMs: Record<Ending, number> = { completed: 250, failed: 120, withdrawn: 40, expired: 400 }
const leadMaxMs = 2_000

/** A machine may be slow or busy, so a lead grows when it was too short to win with, and shrinks when it was enough. */
function adjustLead(round: number, ending: Ending | undefined): void {
  const ahead = aheadIn(round)
  leadMs[ahead] = Math.min(leadMs[ahead] * (ending === ahead ? 0.8 : 1.3), leadMaxMs)
}

function aheadIn(round: number): Ending {
  return endingNames[round % endingNames.length] as Ending
}

/**
 * When each of them acts. They take turns in being first, by a margin within which the others can still overtake: without
 * it, the one with the least work would nearly always win. Half of the rounds happen when the worker checks, the others
 * before, apart from each other.
 */
function planRound(round: number, checkMs: number): Record<Act | 'lapse', number> {
  const ahead = aheadIn(round)
  const isAtCheck = ahead === 'expired' || round % 8 < 4
  const atMs = isAtCheck ? checkMs + upTo(60) - 30 : checkMs - upTo(1_000)
  const soon = (name: Ending): number => atMs + (ahead === name ? 0 : upTo(leadMs[ahead]))
  return {
    authorise: soon('completed'),
    decline: soon('failed'),
    cancel: soon('withdrawn'),
    lapse: ahead === 'expired' ? atMs - upTo(40) : atMs + upTo(2 * leadMs[ahead]),
  }
}

function upTo(ms: number): number {
  return Math.round(ms * Math.random())
}

async function setLapse(pool: Pool, id: string, atMs: number): Promise<void> {
  await pool.query('update payment_requests set expires_at = $2 where id = $1', [id, new Date(atMs)])
}

async function waitForEnd(pool: Pool, id: string): Promise<Date> {
  const deadlineMs = Date.now() + endTimeoutMs
  while (Date.now() < deadlineMs) {
    const { rows } = await pool.query<{ endedAt: Date | null }>(
      'select ended_at as "endedAt" from payment_requests where id = $1',
      [id],
    )
    const endedAt = rows[0]?.endedAt ?? null
    if (endedAt !== null) return endedAt
    await sleep(100)
  }
  throw new Error(`The request ${id} did not end.`)
}

/** A request's status and all events about it. */
async function readEnd(pool: Pool, id: string): Promise<string> {
  const { rows } = await pool.query<{ end: string }>(
    `select t.status || ' by ' || coalesce((
        select string_agg(concat_ws(' ', o.type, o.payload ->> 'reason'), ' and ' order by o.txid, o.id)
        from ledger_outbox o where o.object_id = t.id), 'no event') as end
      from transactions t where t.id = $1`,
    [id],
  )
  return rows[0]?.end ?? ''
}
