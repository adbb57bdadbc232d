// The parts of the drill of people that answer requests for payment, more than once and in more than one way.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, type Lines, withLines } from '../../server/local/api-process.ts'
import type { Pool } from '../../server/src/base/db.ts'
import { askOrThrow, type Merchant, server, toMajor } from '../voucher-lives/world.ts'
import { countOf, tally } from '../vouchers/world.ts'
import { readBalance } from './books.ts'
import { addPerson, connectAll, fund, type Person, pin, type World } from './world.ts'

/** Who asks and who is asked. Nobody else moves their money, so that it can be counted after each round. */
type Pair = { readonly merchant: Merchant; readonly person: Person }
type Request = { readonly id: string; readonly reference: string }

const amount = 2_50n
let references = 0

async function createPair(world: World, code: string): Promise<Pair> {
  const pair = { merchant: await world.openMerchant(code), person: await addPerson(world, 'test') }
  await withLines(world.apis, 1, ([line]) => fund(world, line, pair.merchant, 10_000_00n, pair.person))
  return pair
}

async function askForPayment({ pool }: World, line: Line, { merchant, person }: Pair): Promise<Request> {
  const reference = `sale-${references++}`
  const body = { amount: toMajor(amount), currency: 'USD', user_identifier: person.email, reference_id: reference }
  await askOrThrow(line, merchant.post('/merchant-integrations/payment-request', body))
  const { rows } = await pool.query<{ id: string }>(
    'select id from transactions where environment_id = $1 and reference = $2',
    [merchant.environmentId, reference],
  )
  return { id: rows[0]?.id ?? '', reference }
}

function answerOf({ person }: Pair, { id }: Request, act: 'authorise' | 'decline'): string {
  return person.post(`/wallet/payment-requests/${id}/${act}`, act === 'authorise' ? { pin } : {})
}

/** 200 authorisations of one request at once, at both processes. */
export async function authoriseAtOnce(world: World): Promise<void> {
  const { pool, apis, report, books, isShort } = world
  const pair = await createPair(world, 'ATONCE')
  await withLines(apis, 200, async (lines) => {
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const request = await askForPayment(world, lines[0], pair)
      await connectAll(lines)
      const answers = await Promise.all(lines.map((line) => line.ask(answerOf(pair, request, 'authorise'))))
      report.authorisations += answers.length
      if (countOf(answers, 200) > 0) books.notePayment(pair.person.id, pair.merchant.environmentId, amount)
      report.expect(countOf(answers, 200) === lines.length, `authorisations were answered ${tally(answers)}`)
      const end = await readEnd(pool, request.id)
      report.expect(end === 'COMPLETED by payment.completed', `200 authorisations at once: ${end}`)
      await checkPair(world, pair, '200 authorisations at once')
    }
  })
}

async function checkPair({ pool, report, books }: World, { person, merchant }: Pair, when: string): Promise<void> {
  for (const ownerId of [person.id, merchant.environmentId]) {
    const [has, told] = [await readBalance(pool, ownerId), books.balanceOf(ownerId)]
    report.expect(has === told, `${when}: ${ownerId} has ${has}, and was told of ${told}`)
  }
}

const acts = ['authorise', 'decline', 'cancel'] as const
type Act = (typeof acts)[number]

/** The four ways in which a request may end, each with what was told of it and what the three who acted were answered. */
const endings = {
  completed: 'COMPLETED by payment.completed, answered 200 409 409',
  failed: 'FAILED by payment.declined, answered 409 200 409',
  withdrawn: 'CANCELED by payment.canceled withdrawn, answered 409 409 200',
  // Who withdraws what is over anyway is told that it is withdrawn.
  expired: 'CANCELED by payment.canceled expired, answered 409 409 200',
} as const
type Ending = keyof typeof endings
const endingNames = Object.keys(endings) as Ending[]

// How long the worker rests after it looked for requests whose time is over.
const sweepEveryMs = 2_000
const endTimeoutMs = 20_000
const pairsAtOnce = 20
const linesEach = 4

/** Authorised, declined, withdrawn and out of time at one moment, over and over, by several pairs beside each other. */
export async function endAtOnce(world: World): Promise<void> {
  const { pool, apis, report, isShort } = world
  const rounds = isShort ? 25 : 500
  const pilot = await createPair(world, 'PILOT')
  const pairs: Pair[] = []
  for (let i = 0; i < pairsAtOnce; i++) pairs.push(await createPair(world, `PAIR${i}`))
  const noted = new Map<string, string>()

  await withLines(apis, linesEach * pairsAtOnce, async (lines) => {
    await connectAll(lines)
    let sweptMs = await watchSweep(world, lines[0], pilot, Date.now())
    while (report.rounds < rounds) {
      // The worker is one of the four, so the others act when it is expected to look.
      const sweepMs = sweptMs + sweepEveryMs
      const first = report.rounds
      report.rounds = Math.min(rounds, first + pairsAtOnce)
      const racing = pairs.slice(0, report.rounds - first).map(async (pair, i) => {
        const own = lines.slice(i * linesEach, (i + 1) * linesEach) as Lines
        const { id, end } = await race(world, own, pair, first + i, sweepMs)
        noted.set(id, end)
      })
      const watching = watchSweep(world, lines[linesEach - 1] as Line, pilot, sweepMs + sweepEveryMs / 2)
      ;[sweptMs] = await Promise.all([watching, ...racing])
    }
  })
  console.log(`  ${JSON.stringify(report.ends)}`)
  for (const name of endingNames)
    report.expect(report.ends[name] > 0, `no request ${name}, so nothing was proved about that`)
  // The worker has looked many times since: whoever came too late must not have come through after all.
  for (const [id, end] of noted) {
    const now = await readEnd(pool, id)
    report.expect(now === end, `${id} ended as ${end}, and is now ${now}`)
  }
}

/** Lets a request pass that nobody answers, to learn when the worker looks. */
async function watchSweep(world: World, line: Line, pilot: Pair, lapsesMs: number): Promise<number> {
  const { id } = await askForPayment(world, line, pilot)
  await setLapse(world.pool, id, lapsesMs)
  return (await waitForEnd(world.pool, id)).getTime()
}

async function race(world: World, lines: Lines, pair: Pair, round: number, sweepMs: number) {
  const { pool, report, books } = world
  const request = await askForPayment(world, lines[0], pair)
  const when = planRound(round, sweepMs)
  await setLapse(pool, request.id, when.lapse)
  const send: Record<Act, string> = {
    authorise: answerOf(pair, request, 'authorise'),
    decline: answerOf(pair, request, 'decline'),
    cancel: pair.merchant.post(`${server}/payment-requests/${request.reference}/cancel`, {}),
  }
  const answers = await Promise.all(
    acts.map(async (act, i) => {
      await sleep(when[act] - Date.now())
      // Neighbours are lines to different processes, and each act is at the other one in the next round.
      return (lines[(round + i) % linesEach] as Line).ask(send[act])
    }),
  )
  await waitForEnd(pool, request.id)
  const end = await readEnd(pool, request.id)
  if (answers[0]?.status === 200) books.notePayment(pair.person.id, pair.merchant.environmentId, amount)
  const seen = `${end}, answered ${answers.map(({ status }) => status).join(' ')}`
  const ending = endingNames.find((name) => endings[name] === seen)
  if (ending !== undefined) report.ends[ending]++
  report.expect(ending !== undefined, `round ${round} is ${seen}`)
  await checkPair(world, pair, `round ${round}, ${seen}`)
  return { id: request.id, end }
}

// How long it takes each of them to be done on a busy machine. An authorisation has the most to do.
const leadMs: Record<Ending, number> = { completed: 250, failed: 120, withdrawn: 40, expired: 400 }

/**
 * When each of them acts. They take turns in being ahead, by a time within which the others can still overtake: left alone, whoever
 * has the least to do would win nearly always. Half of them act when the worker looks; the others before, apart from each other.
 */
function planRound(round: number, sweepMs: number): Record<Act | 'lapse', number> {
  const ahead = endingNames[round % endingNames.length] as Ending
  const isAtSweep = ahead === 'expired' || round % 8 < 4
  const atMs = isAtSweep ? sweepMs + upTo(60) - 30 : sweepMs - upTo(1_000)
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
  throw new Error(`The request ${id} has no end.`)
}

/** Its status and all that was told of it. */
async function readEnd(pool: Pool, id: string): Promise<string> {
  const { rows } = await pool.query<{ end: string }>(
    `select t.status || ' by ' || coalesce((
        select string_agg(concat_ws(' ', o.type, o.payload ->> 'reason'), ' and ' order by o.txid, o.id)
        from ledger_outbox o where o.object_id = t.id), 'nobody') as end
      from transactions t where t.id = $1`,
    [id],
  )
  return rows[0]?.end ?? ''
}
