// What `npm run dev` starts, in order. dev.ts shows it and stops it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { buildApp } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createPool, type Pool } from '../../src/base/db.ts'
import { createLog, type Log } from '../../src/base/log.ts'
import { migrate } from '../../src/base/migrate.ts'
import { startJobs } from '../../src/base/jobs.ts'
import { systemRandom } from '../../src/base/random.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { payoutKey, startAnvil, sweepKey, voucherKey } from '../parts/anvil.ts'
import { mineEverySecond, prepareChain, type PreparedChain } from '../parts/chain.ts'
import { atDatabase, dropDatabase, ensureDatabase, schemaFolder } from '../parts/database.ts'
import { createDemoWorld, type DemoWorld, setDemoRates } from './demo.ts'
import { formatLogLine } from './dev-log.ts'
import { describeDev } from './dev-summary.ts'
import { enrolDemo } from './enrol.ts'
import { registerExplorer } from './explorer.ts'
import { embedImages, type Mailbox, openMailbox } from '../parts/mailbox.ts'
import { startPostgres } from '../parts/postgres.ts'
import { startRedis } from '../parts/redis.ts'
import { buildWeb } from './web.ts'
import { stopLeftover } from './dev-lock.ts'
import type { Steps } from './dev-steps.ts'

type App = Awaited<ReturnType<typeof buildApp>>
type Saved = { pepper: string; keyRing: string; world: DemoWorld }

const port = process.env.PORT ?? '8080'
const external = process.env.DATABASE_URL

const folder = resolve(process.env.SCRIP_DEV_FOLDER ?? join(import.meta.dirname, '../../../.scrip'))
const worldFile = join(folder, 'dev.json')
const settingsFile = join(folder, 'dev.env')
const secretsFile = join(folder, 'world.json')
const unfinishedFile = join(folder, 'unfinished')
const chainState = join(folder, 'chain.json')
const address = `http://127.0.0.1:${port}`

export async function startDev({ step, part, onStop, signal }: Steps): Promise<void> {
  await checkPort()
  if (process.argv.includes('--fresh')) await step('Deleting the data of the last start', deleteData)
  await step('Building the web pages', () => buildWeb(signal))
  const adminUrl = external ?? (await part('Starting PostgreSQL', startDatabase, ({ stop }) => stop())).adminUrl
  const urls = await step('Migrating the database', () => prepareDatabase(adminUrl))
  const chain = await part('Starting a local chain', startChain, ({ stop }) => stop())
  const mailbox = await part('Starting a mail server', startMailbox, ({ close }) => close())
  const redis = process.argv.includes('--redis')
    ? await part('Starting Redis', startRedis, ({ stop }) => stop())
    : undefined
  const saved = existsSync(secretsFile) ? (JSON.parse(readFileSync(secretsFile, 'utf8')) as Saved) : undefined
  // Keys are stored as digests and codes are encrypted, so the folder has a copy of the secrets.
  const { pepper, keyRing } = saved ?? {
    pepper: systemRandom(32).toString('hex'),
    keyRing: `1:${systemRandom(32).toString('hex')}`,
  }
  const settings = {
    ...urls,
    KEY_PEPPER: pepper,
    KEY_RING: keyRing,
    PORT: port,
    PUBLIC_URL: address,
    CHAIN_NODES: `LOCAL=${chain.url}`,
    SWEEP_KEY: sweepKey,
    PAYOUT_KEY: payoutKey,
    VOUCHER_KEY: voucherKey,
  }
  const config = configure(settings, mailbox.url, redis?.url)
  if (saved === undefined) writeFileSync(unfinishedFile, '')
  const world =
    saved?.world ??
    (await step('Creating two shops with three months of sales', () =>
      createDemoWorld(config, { days: 90, until: systemClock() }),
    ))
  const pool = createPool(urls.OPERATOR_DATABASE_URL, 1)
  onStop(() => pool.end())
  const { treasury, factory } = await step('Preparing deposits and vaults on the chain', () => prepare(pool, chain.url))
  const ratesTimer = setInterval(() => void setDemoRates(pool).catch(() => undefined), 60 * 1_000)
  onStop(() => clearInterval(ratesTimer))

  const { log, showRequests } = openLog()
  const { app, jobs } = await part(
    'Starting the API and the worker',
    () => buildDemo(config, log, world, chain.url),
    ({ stop }) => stop(),
  )
  // The operator's pages require a second factor.
  world.operator.totpSecret ??= await enrolDemo(app, config.publicUrl, world.operator)
  world.vouchers.onchain ??= await issueOnchain(app, world)
  writeFileSync(secretsFile, JSON.stringify({ pepper, keyRing, world }), { mode: 0o600 })
  rmSync(unfinishedFile, { force: true })
  const worker = startJobs(jobs, log)
  onStop(() => worker.stop())
  const summary = await describeDev({ app, world, address, chainUrl: chain.url, redisUrl: redis?.url, folder })
  await app.listen({ host: config.host, port: config.port })
  writeShared({ baseUrl: address, ...world, chain: { rpcUrl: chain.url, treasury, factory } }, settings)
  showRequests()
  console.log(summary)
}

async function prepare(pool: Pool, chainUrl: string): Promise<PreparedChain> {
  await setDemoRates(pool)
  const prepared = await prepareChain(pool, chainUrl, `${address}/explorer`)
  await mineEverySecond(prepared.client)
  return prepared
}

/** What other programs need to know while this process runs; `npm run scrip` reads the settings. */
function writeShared(shared: object, settings: Record<string, string>): void {
  writeFileSync(worldFile, `${JSON.stringify(shared, null, 2)}\n`)
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(settingsFile, lines.join(''), { mode: 0o600 })
}

/** A voucher of the demo shop in the coin of the local network. The worker creates it there. */
async function issueOnchain(app: App['app'], { merchant, network, currencies }: DemoWorld) {
  const headers = { authorization: `Bearer ${merchant.publicKey}`, 'x-api-private-key': merchant.secretKey }
  const payload = { amount: '0.05', currency: currencies.crypto, onchain: true, network: network.abbreviation }
  const reply = await app.inject({ method: 'POST', url: '/sandbox/vouchers', headers, payload })
  if (reply.statusCode !== 200) throw new Error(`The demo has no onchain voucher: ${reply.body}`)
  const { code } = reply.json<{ data: { code: string } }>().data
  return { code, network: network.abbreviation, currency: currencies.crypto }
}

/** The API with what only the demo has: the public key of its shop in samples, and an explorer of the local chain. */
async function buildDemo(config: Config, log: Log, { merchant }: DemoWorld, chainUrl: string): Promise<App> {
  const { publicKey, code: merchantCode } = merchant
  const built = await buildApp(config, log, { demo: { publicKey, merchantCode } })
  registerExplorer(built.app, chainUrl)
  return built
}

function configure(settings: Record<string, string>, mailUrl: string, redisUrl: string | undefined): Config {
  return readConfig({
    ...settings,
    SMTP_URL: mailUrl,
    MAIL_FROM: 'Scrip <pay@scrip.example>',
    // Webhook receivers run on the same machine.
    WEBHOOK_NETWORKS: '127.0.0.0/8,::1/128',
    REDIS_URL: redisUrl,
    REQUESTS_PER_MINUTE: '100000',
    KEY_REQUESTS_PER_MINUTE: '100000',
  })
}

/** Shows warnings at once, and requests after the start. With LOG_LEVEL it writes the log of a server. */
function openLog(): { log: Log; showRequests: () => void } {
  let showsRequests = false
  const write = (line: string): void => {
    const shown = formatLogLine(line, new Date())
    if (shown !== undefined && (showsRequests || shown === line)) process.stdout.write(shown)
  }
  const level = process.env.LOG_LEVEL
  const log = level === undefined ? createLog('info', { write }) : createLog(level)
  return { log, showRequests: () => void (showsRequests = true) }
}

/** Before anything starts: the demo data takes a while, and the port is needed only after it. */
async function checkPort(): Promise<void> {
  const probe = createServer()
  await new Promise<void>((free, reject) => {
    probe.once('error', () => reject(new Error(`Port ${port} is in use. Choose another: PORT=8081 npm run dev`)))
    probe.listen(Number(port), '127.0.0.1', () => probe.close(() => free()))
  })
}

async function deleteData(): Promise<void> {
  await stopLeftover(join(folder, 'postgres'))
  for (const name of readdirSync(folder))
    if (name !== 'dev.lock') rmSync(join(folder, name), { recursive: true, force: true })
  if (external !== undefined) await dropDatabase(external, 'scrip_dev')
}

async function startDatabase(): ReturnType<typeof startPostgres> {
  const dataFolder = join(folder, 'postgres')
  await stopLeftover(dataFolder)
  // Only test data, so nothing has to be safe on disk.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  return startPostgres({ folder: dataFolder, settings })
}

type Urls = Record<'DATABASE_URL' | 'OPERATOR_DATABASE_URL' | 'CHAIN_DATABASE_URL' | 'OWNER_DATABASE_URL', string>

async function prepareDatabase(adminUrl: string): Promise<Urls> {
  // The first start was stopped before its demo data was complete.
  if (existsSync(unfinishedFile)) await dropDatabase(adminUrl, 'scrip_dev')
  if (existsSync(unfinishedFile)) rmSync(chainState, { force: true })
  await ensureDatabase(adminUrl, 'scrip_dev')
  const urlOf = (role: string): string => atDatabase(adminUrl, 'scrip_dev', role)
  await migrate(urlOf('scrip_owner'), schemaFolder, systemClock)
  return {
    DATABASE_URL: urlOf('scrip_server'),
    OPERATOR_DATABASE_URL: urlOf('scrip_operator'),
    CHAIN_DATABASE_URL: urlOf('scrip_chain'),
    OWNER_DATABASE_URL: urlOf('scrip_owner'),
  }
}

/** A local network with a block a second. It continues where it stopped. */
function startChain(): ReturnType<typeof startAnvil> {
  return startAnvil(['--slots-in-an-epoch', '1', '--state', chainState], 'SIGTERM')
}

function startMailbox(): Promise<Mailbox> {
  const mailFolder = join(folder, 'mail')
  mkdirSync(mailFolder, { recursive: true })
  return openMailbox((mail) => {
    const { subject = '', text = '' } = mail
    const words = subject.replaceAll(/\s/g, ' ').replaceAll(/[^\p{L}\p{N} .]/gu, '')
    const name = `${new Date().toISOString().replaceAll(':', '')} ${words}`
    writeFileSync(join(mailFolder, `${name}.html`), embedImages(mail))
    writeFileSync(join(mailFolder, `${name}.txt`), text)
  })
}
