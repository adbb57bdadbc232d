// Many requests at once at two API processes, up to the limit: the total that leaves is at most the limit, to the cent.
import { type HttpResponse, type Connections, startApi, withConnections } from '../../server/local/drill/api-process.ts'
import { asRole, type LocalDatabase } from '../../server/local/parts/database.ts'
import { drillSettings } from '../../server/local/drill/shop.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createPool, type Pool } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { type Ledger, openLedger } from '../../server/src/ledger/post.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'
import { createMerchant } from '../../server/src/identity/merchant/create-merchant.ts'
import { fundMerchant } from '../../server/src/identity/merchant/fund.ts'
import { createKey } from '../../server/src/identity/merchant/keys.ts'
import { sendOrThrow } from '../voucher-lifecycle/world.ts'
import { readFlows } from './flows.ts'
import { allowed, dollars, type Report } from './report.ts'
import { server } from './shop.ts'

const connectionCount = 40
const requestsEach = 5
const newId = createIds(systemClock, systemRandom)

type World = { readonly operator: Pool; readonly owner: Pool; readonly ledger: Ledger; readonly pepper: Buffer }
type LiveShop = Awaited<ReturnType<typeof openLiveShop>>

export async function stealInParallel(database: LocalDatabase, report: Report, rounds: number): Promise<void> {
  const pepper = systemRandom(32)
  const settings = drillSettings(database.url, pepper)
  // Without a worker, so that pending outflows stay pending and only what left at once is measured.
  const apis = [await startApi(settings), await startApi(settings)]
  const operator = createPool(asRole(database.url, 'scrip_operator'), 4)
  const owner = createPool(database.ownerUrl, 2)
  const ledger = openLedger({ url: database.operatorUrl, clock: systemClock, newId })
  const world = { operator, owner, ledger, pepper }
  try {
    await withConnections(apis, connectionCount, async (connections) => {
      for (let round = 0; round < rounds; round++) await stealAtOnce(world, report, connections, round)
      await stealWithRuleOff(world, report, connections)
    })
    for (const fault of await verifyLedger(owner)) report.expect(false, fault)
    for (const api of apis) report.expect(api.logs() === '', `the API logged errors: ${api.logs().slice(0, 2_000)}`)
  } finally {
    await ledger.close()
    await Promise.all([operator.end(), owner.end(), ...apis.map((api) => api.stop())])
  }
}

/** Even rounds use the limit to the cent. Odd rounds use a price that leaves a rest. */
async function stealAtOnce(world: World, report: Report, connections: Connections, round: number): Promise<void> {
  const price = round % 2 === 0 ? 10_00n : 9_97n
  const shop = await openLiveShop(world, `LIVE${round}`)
  const lost = await issueLost(world, shop, connections, price)
  const responses = await requestAtOnce(shop, connections, price, lost)
  report.acts += responses.length
  const left = await sumLeft(world, shop)
  report.noteLeft(left)
  const expected = (allowed / price) * price
  const seen = countStatuses(responses)
  console.log(`  ${responses.length} requests of ${dollars(price)} USD: ${dollars(left)} left, ${seen}`)
  if (left > allowed) report.over++
  report.expect(left === expected, `${dollars(left)} USD left in parallel instead of ${dollars(expected)}: ${seen}`)
}

async function stealWithRuleOff(world: World, report: Report, connections: Connections): Promise<void> {
  const shop = await openLiveShop(world, 'CONTROL')
  const lost = await issueLost(world, shop, connections, 10_00n)
  await setRuleOff(world, shop)
  await requestAtOnce(shop, connections, 10_00n, lost)
  const left = await sumLeft(world, shop)
  report.expect(
    left > allowed,
    `without the rule only ${dollars(left)} USD left in parallel, so the drill proves nothing`,
  )
}

/** Vouchers of customers, issued with the rule off. Replacing them counts against the daily limit. */
async function issueLost(world: World, shop: LiveShop, [connection]: Connections, price: bigint): Promise<string[]> {
  await setRuleOff(world, shop)
  const ids: string[] = []
  for (let i = 0; i < connectionCount; i++) {
    const response = await sendOrThrow(connection, shop.post('vouchers', { amount: toMajor(price), currency: 'USD' }))
    ids.push(response.id)
  }
  await world.owner.query('delete from outflow_rules where environment_id = $1', [shop.environmentId])
  return ids
}

/** Vouchers, batches and replacements, on every connection without waiting for the others. */
async function requestAtOnce(
  shop: LiveShop,
  connections: Connections,
  price: bigint,
  lost: readonly string[],
): Promise<HttpResponse[]> {
  const responses = connections.map(async (connection, i) => {
    const own: HttpResponse[] = []
    for (let j = 0; j < requestsEach; j++) own.push(await connection.send(requestOf(shop, price, i + j, lost[i] ?? '')))
    return own
  })
  return (await Promise.all(responses)).flat()
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

function countStatuses(responses: readonly HttpResponse[]): string {
  const counts = new Map<string, number>()
  for (const { body, status } of responses) {
    const { status: outcome, error } = JSON.parse(body) as { status?: string; error?: { code: string } }
    const name = error?.code ?? outcome ?? String(status)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${name}=${count}`).join(' ')
}
