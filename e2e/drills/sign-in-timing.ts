// Measures whether the response time of sign-in, sign-up or password reset reveals that an email address has an account.
//   npm run drill -- sign-in-timing [short]
import { randomInt } from 'node:crypto'
import { type HttpResponse, type Connection, startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/parts/database.ts'
import { startPostgres } from '../../server/local/parts/postgres.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { createReport, newAddress } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const few = { pairs: 300, planted: 300 }
const many = { pairs: 10_000, planted: 2_000 }
// A sign-in computes a hash of 10 to 25 ms: 6,000 pairs take about four minutes, 10,000 a quarter of an hour.
const plan = isShort
  ? { sign_in: few, sign_up: few, forgot: few }
  : { sign_in: { pairs: 6_000, planted: 1_000 }, sign_up: many, forgot: many }
type Endpoint = keyof typeof plan
// No address is used more than four times in total: an address gets ten links an hour, and three from one IP address.
const usersCount = isShort ? 1_000 : 10_000
const warmUpPairs = 30
// An IP address may try 300 times in 15 minutes.
const pairsPerAddress = 50
const plantedMs = 1
/**
 * Differences below this are not observable. An attacker gets at most 100 responses about an address in 15 minutes, from
 * wherever they are sent. If network latency has a standard deviation of 2.5 ms, which is little for the internet, the
 * median of 100 responses has one of 0.3 ms (1.25 × 2.5 / √100).
 */
const toleranceMs = 0.3
// 95 % confidence. With 99 %, on a busy machine, 300 pairs with a hash barely detected the planted delay.
const z = 1.96

type Side = 'known' | 'unknown'
type Times = Record<Side, number[]>
type Comparison = { readonly ratio: number; readonly isCaught: boolean; readonly isRuledOut: boolean }

const startedMs = performance.now()
const { expect, faults } = createReport()
const ratios: Partial<Record<Endpoint, number>> = {}
let plantedCaught = 0
let pairsTotal = 0
let linksRequested = 0

const pepper = systemRandom(32)
const postgres = await startPostgres({ settings: { fsync: 'on', shared_buffers: '256MB' } })
const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const pool = createPool(url, 2)
const api = await startApi(drillSettings(url, pepper))
try {
  const known = await insertUsers()
  await withConnections([api], 1, async ([connection]) => {
    for (const endpoint of ['sign_in', 'sign_up', 'forgot'] as const) {
      const { pairs, planted } = plan[endpoint]
      await measure(connection, endpoint, known, warmUpPairs, 0)
      const found = compare(endpoint, 0, await measure(connection, endpoint, known, pairs, 0))
      ratios[endpoint] = found.ratio
      pairsTotal += pairs
      expect(!found.isCaught, `${endpoint} reveals by its response time whether an address is known`)
      // A few hundred pairs can detect a difference, but only more can rule one out.
      if (!isShort) {
        expect(found.isRuledOut, `${endpoint} may reveal by its response time whether an address is known`)
        expect(Math.abs(found.ratio - 1) <= 0.05, `${endpoint} takes ${found.ratio} times as long for a known address`)
      }
      const control = compare(endpoint, plantedMs, await measure(connection, endpoint, known, planted, plantedMs))
      if (control.isCaught) plantedCaught++
    }
  })
  // An address beyond its link limit gets the same response without the work, which would make any two addresses look alike.
  const { rows } = await pool.query<{ links: bigint }>('select count(*) as links from user_links')
  expect(rows[0]?.links === BigInt(linksRequested), `${rows[0]?.links ?? 0n} of ${linksRequested} links were created`)
  expect(plantedCaught === 3, `${plantedCaught} of 3 planted delays were detected`)
  expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 1_000)}`)
} catch (error) {
  console.error(error)
  faults.push('the drill did not finish')
} finally {
  await api.stop()
  await pool.end()
  await postgres.stop()
}
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
const shown = (endpoint: Endpoint): string => (ratios[endpoint] ?? Number.NaN).toFixed(4)
console.log(
  `sign-in-timing pairs=${pairsTotal} sign_in_ratio=${shown('sign_in')} sign_up_ratio=${shown('sign_up')} ` +
    `forgot_ratio=${shown('forgot')} planted_caught=${plantedCaught}/3 faults=${faults.length} ` +
    `seconds=${Math.round((performance.now() - startedMs) / 1_000)}`,
)
process.exit(faults.length === 0 ? 0 : 1)

/** A new username. Known and unknown ones look alike, so that neither their length nor their place in an index differs. */
function newName(): string {
  return `p_${systemRandom(8).toString('hex')}`
}

function addressOf(name: string): string {
  return `${name}@example.com`
}

/** Inserts users and returns their addresses. All share one password, because its hash takes 25 ms. */
async function insertUsers(): Promise<string[]> {
  const newId = createIds(systemClock, systemRandom)
  const passwordHash = await hashPassword('correct horse battery')
  const names = Array.from({ length: usersCount }, newName)
  const same = { realm: 'test', surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  await inTransaction(pool, async (tx) => {
    for (const username of names)
      await insertUser(tx, { id: newId(), email: addressOf(username), username, ...same }, passwordHash, systemClock())
  })
  return names.map(addressOf)
}

/** Sends requests for a known and an unknown address in random order, and returns their times pair by pair. */
async function measure(
  connection: Connection,
  endpoint: Endpoint,
  known: string[],
  pairs: number,
  plantMs: number,
): Promise<Times> {
  const times: Times = { known: [], unknown: [] }
  const responses = new Set<string>()
  let from = ''
  for (let i = 0; i < pairs; i++) {
    if (i % pairsPerAddress === 0) from = newAddress()
    const emails: Record<Side, string> = { known: nextOf(known), unknown: addressOf(newName()) }
    const sides: Side[] = ['known', 'unknown']
    // In random order, so that periodic work of the machine does not always hit the same side.
    for (const side of randomInt(2) === 0 ? sides : sides.toReversed()) {
      const request = requestOf(endpoint, emails[side], from)
      const startMs = performance.now()
      const response = await connection.send(request)
      const untilMs = performance.now() + (side === 'known' ? plantMs : 0)
      while (performance.now() < untilMs);
      times[side].push(performance.now() - startMs)
      responses.add(describeResponse(response))
    }
  }
  expect(
    responses.size === 1,
    `${endpoint} reveals by its response whether an address is known: ${[...responses].join(' | ')}`,
  )
  if (endpoint !== 'sign_in') linksRequested += 2 * pairs
  const [response = ''] = responses
  expect(response.startsWith(endpoint === 'sign_in' ? '401 ' : '200 '), `${endpoint} was not tried: ${response}`)
  return times
}

function describeResponse({ status, body }: HttpResponse): string {
  return `${status} ${body.replace(/"requestId":"[^"]+"/, '')}`
}

/** Takes the first address and moves it to the end. */
function nextOf(known: string[]): string {
  const next = known.shift() ?? ''
  known.push(next)
  return next
}

function requestOf(endpoint: Endpoint, email: string, from: string): string {
  const names = { username: newName(), surname: 'Obi', otherNames: 'Ada' }
  const [path, body] = {
    sign_in: ['sign-in/email', { email, password: 'a wrong password' }],
    sign_up: ['sign-up', { email, ...names }],
    forgot: ['forgot', { email }],
  }[endpoint] as [string, object]
  const text = JSON.stringify(body)
  const about = `Content-Type: application/json\r\nContent-Length: ${text.length}\r\nX-Forwarded-For: ${from}`
  return `POST /auth/test/${path} HTTP/1.1\r\nHost: pay.example\r\nOrigin: https://pay.example\r\n${about}\r\n\r\n${text}`
}

/**
 * The median of the differences within pairs, and its confidence interval from the binomial distribution of the ranks.
 * This assumes nothing about the distribution of the times, which have long tails. A difference is detected if its whole
 * interval is outside the tolerance, and ruled out if its whole interval is within.
 */
function compare(endpoint: Endpoint, plantMs: number, { known, unknown }: Times): Comparison {
  const differences = known.map((ms, i) => ms - (unknown[i] ?? 0)).toSorted((a, b) => a - b)
  const count = differences.length
  const reach = (z * Math.sqrt(count)) / 2
  const [low = 0, middle = 0, high = 0] = [-reach, 0, reach].map((ranks) => differences[Math.round(count / 2 + ranks)])
  const [knownMs, unknownMs] = [medianOf(known), medianOf(unknown)]
  const ratio = knownMs / unknownMs
  console.log(
    `${endpoint} with ${plantMs} ms planted, ${count} pairs: known ${knownMs.toFixed(3)} ms, unknown ${unknownMs.toFixed(3)} ms, ` +
      `ratio ${ratio.toFixed(4)}; difference ${middle.toFixed(3)} ms, interval ${low.toFixed(3)} to ${high.toFixed(3)}`,
  )
  return {
    ratio,
    isCaught: low > toleranceMs || high < -toleranceMs,
    isRuledOut: low > -toleranceMs && high < toleranceMs,
  }
}

function medianOf(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
