// Whether signing in, signing up and a forgotten password tell by their time that somebody has an address.
//   npm run drill -- sign-in-timing [short]
import { randomInt } from 'node:crypto'
import { type Answer, type Line, startApi, withLines } from '../../server/local/api-process.ts'
import { cloneTemplate, createTemplate } from '../../server/local/database.ts'
import { startPostgres } from '../../server/local/postgres.ts'
import { drillSettings } from '../../server/local/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/user/password.ts'
import { insertPerson } from '../../server/src/user/store.ts'
import { createReport, newAddress } from '../vouchers/world.ts'

const isShort = process.argv.includes('short')
const few = { pairs: 300, planted: 300 }
const many = { pairs: 10_000, planted: 2_000 }
// A sign-in costs a hash of 10 to 25 ms: these make about four minutes, and ten thousand a quarter of an hour.
const plan = isShort
  ? { sign_in: few, sign_up: few, forgot: few }
  : { sign_in: { pairs: 6_000, planted: 1_000 }, sign_up: many, forgot: many }
type Endpoint = keyof typeof plan
// Nobody is asked for more than four times in all: ten links an hour are allowed, and three from one place.
const peopleCount = isShort ? 1_000 : 10_000
const warmUpPairs = 30
// An address may try 300 times in a quarter of an hour.
const pairsPerAddress = 50
const plantedMs = 1
/**
 * What nobody can see. There are at most 100 answers about an address in a quarter of an hour, wherever they are asked for. If the way
 * there scatters by 2.5 ms, which is little for the internet, the median of 100 scatters by 0.3 ms itself (1.25 × 2.5 / √100).
 */
const toleranceMs = 0.3
// 95 of 100 such intervals hold the true median. With 99, beside other work, 300 pairs with a hash caught the planted one only just.
const z = 1.96

type Side = 'known' | 'unknown'
type Times = Record<Side, number[]>

const startedMs = performance.now()
const { expect, faults } = createReport()
const ratios: Partial<Record<Endpoint, number>> = {}
let plantedCaught = 0
let pairsInAll = 0
let linksAskedFor = 0

const pepper = systemRandom(32)
const postgres = await startPostgres({ settings: { fsync: 'on', shared_buffers: '256MB' } })
const { url } = await cloneTemplate(postgres.adminUrl, await createTemplate(postgres.adminUrl))
const pool = createPool(url, 2)
const api = await startApi(drillSettings(url, pepper))
try {
  const known = await insertPeople()
  await withLines([api], 1, async ([line]) => {
    for (const endpoint of ['sign_in', 'sign_up', 'forgot'] as const) {
      const { pairs, planted } = plan[endpoint]
      await measure(line, endpoint, known, warmUpPairs, 0)
      const found = compare(endpoint, 0, await measure(line, endpoint, known, pairs, 0))
      ratios[endpoint] = found.ratio
      pairsInAll += pairs
      expect(!found.isCaught, `${endpoint} tells by its time whether an address is known`)
      // A few hundred pairs can show that it tells. That it does not takes more.
      if (!isShort) {
        expect(found.isRuledOut, `${endpoint} may tell by its time whether an address is known`)
        expect(Math.abs(found.ratio - 1) <= 0.05, `${endpoint} takes ${found.ratio} times as long for a known address`)
      }
      const control = compare(endpoint, plantedMs, await measure(line, endpoint, known, planted, plantedMs))
      if (control.isCaught) plantedCaught++
    }
  })
  // An address that has had its links is answered alike, and at once: that would make any two alike.
  const { rows } = await pool.query<{ links: bigint }>('select count(*) as links from user_links')
  expect(rows[0]?.links === BigInt(linksAskedFor), `of ${linksAskedFor} links ${rows[0]?.links ?? 0n} were made`)
  expect(plantedCaught === 3, `of three planted differences ${plantedCaught} were caught`)
  expect(api.said() === '', `the API complained: ${api.said().slice(0, 1_000)}`)
} catch (error) {
  console.error(error)
  faults.push('the drill did not come to its end')
} finally {
  await api.stop()
  await pool.end()
  await postgres.stop()
}
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
const shown = (endpoint: Endpoint): string => (ratios[endpoint] ?? Number.NaN).toFixed(4)
console.log(
  `sign-in-timing pairs=${pairsInAll} sign_in_ratio=${shown('sign_in')} sign_up_ratio=${shown('sign_up')} ` +
    `forgot_ratio=${shown('forgot')} planted_caught=${plantedCaught}/3 faults=${faults.length} ` +
    `seconds=${Math.round((performance.now() - startedMs) / 1_000)}`,
)
process.exit(faults.length === 0 ? 0 : 1)

/** A name that nobody has yet. The known and the unknown are made alike, so that neither their length nor their place in an index differs. */
function newName(): string {
  return `p_${systemRandom(8).toString('hex')}`
}

function addressOf(name: string): string {
  return `${name}@example.com`
}

/** Their addresses. All have the same password, because its hash takes 25 ms. */
async function insertPeople(): Promise<string[]> {
  const newId = createIds(systemClock, systemRandom)
  const passwordHash = await hashPassword('correct horse battery')
  const names = Array.from({ length: peopleCount }, newName)
  const same = { realm: 'test', surname: 'Obi', otherNames: 'Ada', language: 'en' } as const
  await inTransaction(pool, async (tx) => {
    for (const username of names)
      await insertPerson(
        tx,
        { id: newId(), email: addressOf(username), username, ...same },
        passwordHash,
        systemClock(),
      )
  })
  return names.map(addressOf)
}

/** Asks about a known and an unknown address in turns, and says how long each took, pair by pair. */
async function measure(
  line: Line,
  endpoint: Endpoint,
  known: string[],
  pairs: number,
  plantMs: number,
): Promise<Times> {
  const times: Times = { known: [], unknown: [] }
  const answers = new Set<string>()
  let from = ''
  for (let i = 0; i < pairs; i++) {
    if (i % pairsPerAddress === 0) from = newAddress()
    const emails: Record<Side, string> = { known: nextOf(known), unknown: addressOf(newName()) }
    const sides: Side[] = ['known', 'unknown']
    // At random, so that nothing that comes and goes with a beat of its own falls to one side.
    for (const side of randomInt(2) === 0 ? sides : sides.toReversed()) {
      const request = requestOf(endpoint, emails[side], from)
      const startMs = performance.now()
      const answer = await line.ask(request)
      const untilMs = performance.now() + (side === 'known' ? plantMs : 0)
      while (performance.now() < untilMs);
      times[side].push(performance.now() - startMs)
      answers.add(toldBy(answer))
    }
  }
  expect(answers.size === 1, `${endpoint} tells by its answer whether an address is known: ${[...answers].join(' | ')}`)
  if (endpoint !== 'sign_in') linksAskedFor += 2 * pairs
  const [told = ''] = answers
  expect(told.startsWith(endpoint === 'sign_in' ? '401 ' : '200 '), `${endpoint} was not tried: ${told}`)
  return times
}

function toldBy({ status, body }: Answer): string {
  return `${status} ${body.replace(/"requestId":"[^"]+"/, '')}`
}

/** Takes the first and puts it behind all others. */
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
 * The median of the differences within pairs, and the interval that holds the true one: its ends are the differences at two ranks, by
 * the binomial distribution of how many lie below the median. That asks nothing of how the times are distributed, and their tails are
 * long. A difference is caught if its whole interval is beyond what is tolerated, and ruled out if its whole interval is within.
 */
function compare(endpoint: Endpoint, plantMs: number, { known, unknown }: Times) {
  const differences = known.map((ms, i) => ms - (unknown[i] ?? 0)).toSorted((a, b) => a - b)
  const count = differences.length
  const reach = (z * Math.sqrt(count)) / 2
  const [low = 0, middle = 0, high = 0] = [-reach, 0, reach].map((ranks) => differences[Math.round(count / 2 + ranks)])
  const [knownMs, unknownMs] = [medianOf(known), medianOf(unknown)]
  const ratio = knownMs / unknownMs
  console.log(
    `${endpoint} with ${plantMs} ms planted, ${count} pairs: known ${knownMs.toFixed(3)} ms, unknown ${unknownMs.toFixed(3)} ms, ` +
      `ratio ${ratio.toFixed(4)}; difference ${middle.toFixed(3)} ms, within ${low.toFixed(3)} and ${high.toFixed(3)}`,
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
