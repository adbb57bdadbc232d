// Many requests at once at two processes of the API, at the limit: what leaves in all is at most what is allowed, to the cent.
import { type Answer, type Lines, startApi, withLines } from '../../server/local/api-process.ts'
import { asRole, type LocalDatabase } from '../../server/local/database.ts'
import { drillSettings } from '../../server/local/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { type Ledger, openLedger } from '../../server/src/ledger/post.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { createMerchant } from '../../server/src/merchant/create-merchant.ts'
import { fundMerchant } from '../../server/src/merchant/fund.ts'
import { createKey } from '../../server/src/merchant/keys.ts'
import { askOrThrow } from '../voucher-lives/world.ts'
import { readFlows } from './flows.ts'
import { allowed, dollars, type Report } from './report.ts'
import { server } from './shop.ts'

const lineCount = 40
const requestsEach = 5
const newId = createIds(systemClock, systemRandom)

type World = { readonly operator: Pool; readonly owner: Pool; readonly ledger: Ledger; readonly pepper: Buffer }
type LiveShop = Awaited<ReturnType<typeof openLiveShop>>

export async function stealInParallel(database: LocalDatabase, report: Report, rounds: number): Promise<void> {
  const pepper = systemRandom(32)
  const settings = drillSettings(database.url, pepper)
  // Without a worker: what has to wait stays waiting, so only what left at once is measured.
  const apis = [await startApi(settings), await startApi(settings)]
  const operator = createPool(asRole(database.url, 'scrip_operator'), 4)
  const owner = createPool(database.ownerUrl, 2)
  const ledger = openLedger({ url: database.operatorUrl, clock: systemClock, newId })
  const world = { operator, owner, ledger, pepper }
  try {
    await withLines(apis, lineCount, async (lines) => {
      for (let round = 0; round < rounds; round++) await stealAtOnce(world, report, lines, round)
      await stealWithRuleOff(world, report, lines)
    })
    for (const fault of await verifyLedger(owner)) report.expect(false, fault)
    for (const api of apis) report.expect(api.said() === '', `the API complained: ${api.said().slice(0, 2_000)}`)
  } finally {
    await ledger.close()
    await Promise.all([operator.end(), owner.end(), ...apis.map((api) => api.stop())])
  }
}

/** Even rounds fill the limit to the cent, odd ones with a price that leaves some of it unused. */
async function stealAtOnce(world: World, report: Report, lines: Lines, round: number): Promise<void> {
  const price = round % 2 === 0 ? 10_00n : 9_97n
  const shop = await openLiveShop(world, `LIVE${round}`)
  const lost = await issueLost(world, shop, lines, price)
  const answers = await requestAtOnce(shop, lines, price, lost)
  report.acts += answers.length
  const left = await sumLeft(world, shop)
  report.noteLeft(left)
  const expected = (allowed / price) * price
  const seen = countStatuses(answers)
  console.log(`  ${answers.length} requests of ${dollars(price)} USD: ${dollars(left)} left, ${seen}`)
  if (left > allowed) report.over++
  report.expect(left === expected, `${dollars(left)} USD left in parallel and not ${dollars(expected)}: ${seen}`)
}

async function stealWithRuleOff(world: World, report: Report, lines: Lines): Promise<void> {
  const shop = await openLiveShop(world, 'CONTROL')
  const lost = await issueLost(world, shop, lines, 10_00n)
  await setRuleOff(world, shop)
  await requestAtOnce(shop, lines, 10_00n, lost)
  const left = await sumLeft(world, shop)
  report.expect(left > allowed, `with the rule off only ${dollars(left)} USD left in parallel, so nothing was proved`)
}

/** Vouchers in customers' hands. They were issued with the rule off, and count for the day like what the thief takes. */
async function issueLost(world: World, shop: LiveShop, [line]: Lines, price: bigint): Promise<string[]> {
  await setRuleOff(world, shop)
  const ids: string[] = []
  for (let i = 0; i < lineCount; i++) {
    const answer = await askOrThrow(line, shop.post('vouchers', { amount: toMajor(price), currency: 'USD' }))
    ids.push(answer.id)
  }
  await world.owner.query('delete from outflow_rules where environment_id = $1', [shop.environmentId])
  return ids
}

/** Vouchers, batches and replacements, from every connection without waiting for another one. */
async function requestAtOnce(shop: LiveShop, lines: Lines, price: bigint, lost: readonly string[]): Promise<Answer[]> {
  const answers = lines.map(async (line, i) => {
    const own: Answer[] = []
    for (let j = 0; j < requestsEach; j++) own.push(await line.ask(requestOf(shop, price, i + j, lost[i] ?? '')))
    return own
  })
  return (await Promise.all(answers)).flat()
}

function requestOf({ post }: LiveShop, price: bigint, number: number, lostId: string): string {
  const half = { size: 2, amount: toMajor(price) / 2, currency: 'USD' }
  if (number % 5 === 1 && price % 2n === 0n) return post('voucher-batches', half)
  if (number % 5 === 2) return post(`vouchers/${lostId}/replace`, {})
  return post('vouchers', { amount: toMajor(price), currency: 'USD' })
}

async function openLiveShop({ operator, ledger, pepper }: World, code: string) {
  const names = { companyName: code, tradingName: code, description: code, avatar: '' }
  const profile = { code, ...names, homeCurrency: 'USD', timeZone: 'Africa/Lagos' }
  const { liveId: environmentId } = await createMerchant(operator, profile, systemClock, newId)
  const live = { environmentId, mode: 'live' } as const
  const tools = { pool: operator, clock: systemClock, newId, random: systemRandom, pepper }
  const { key: publicKey } = await createKey(tools, live, { kind: 'public', name: 'shop' })
  const { key: secretKey } = await createKey(tools, live, { kind: 'secret', name: 'server' })
  const funding = { account: 'balance', currency: 'USD', amount: '100000.00', reference: `BANK-${code}` } as const
  await fundMerchant({ pool: operator, ledger, newId }, live, funding)
  const keys = `Host: drill\r\nAuthorization: Bearer ${publicKey}\r\nX-API-Private-Key: ${secretKey}`
  const post = (path: string, body: object): string => {
    const text = JSON.stringify(body)
    const form = `Content-Type: application/json\r\nContent-Length: ${text.length}`
    return `POST ${server}/${path} HTTP/1.1\r\n${keys}\r\n${form}\r\n\r\n${text}`
  }
  return { environmentId, post, openedAt: systemClock() }
}

async function setRuleOff({ owner }: World, { environmentId }: LiveShop): Promise<void> {
  await owner.query(
    `insert into outflow_rules (environment_id, approval_above, daily, new_recipient_hours) values ($1, null, null, 0)`,
    [environmentId],
  )
}

/** Since the shop opened, a moment ago: all of it is in one rolling day, and nothing comes back. */
async function sumLeft({ owner }: World, { environmentId, openedAt }: LiveShop): Promise<bigint> {
  const flows = await readFlows(owner, environmentId, openedAt, systemClock())
  return flows.reduce((sum, { value }) => sum + value, 0n)
}

function toMajor(cents: bigint): number {
  return Number(cents) / 100
}

function countStatuses(answers: readonly Answer[]): string {
  const counts = new Map<string, number>()
  for (const { body, status } of answers) {
    const { status: word, error } = JSON.parse(body) as { status?: string; error?: { code: string } }
    const name = error?.code ?? word ?? String(status)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${name}=${count}`).join(' ')
}
