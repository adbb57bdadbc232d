// `npm run dev`: the whole platform from nothing, in .scrip/. A second start finds what the first has made.
//   npm run dev -- --fresh    forgets it and starts anew
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildApp } from '../src/app.ts'
import { systemClock } from '../src/base/clock.ts'
import { createPool } from '../src/base/db.ts'
import { createLog } from '../src/base/log.ts'
import { migrate } from '../src/base/migrate.ts'
import { startSweeps } from '../src/base/sweep.ts'
import { systemRandom } from '../src/base/random.ts'
import { readConfig } from '../src/config.ts'
import { atDatabase, ensureDatabase, migrationsFolder } from './database.ts'
import { prepareChain } from './chain.ts'
import { createDemoWorld, type DemoWorld, setDemoRates } from './demo.ts'
import { startAnvil, sweepKey } from './anvil.ts'
import { openMailbox } from './mailbox.ts'
import { startPostgres } from './postgres.ts'
import { buildWeb } from './web.ts'

const folder = resolve(import.meta.dirname, '../../.scrip')
const worldFile = join(folder, 'dev.json')
const secretsFile = join(folder, 'world.json')
type Kept = { pepper: string; keyRing: string; world: DemoWorld }

if (process.argv.includes('--fresh')) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
rmSync(worldFile, { force: true })
buildWeb()
const external = process.env.DATABASE_URL
// Play money: nothing waits for the disk.
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const postgres =
  external === undefined ? await startPostgres({ folder: join(folder, 'postgres'), settings }) : undefined
const adminUrl = postgres?.adminUrl ?? external ?? ''

await ensureDatabase(adminUrl, 'scrip_dev')
const url = atDatabase(adminUrl, 'scrip_dev', 'scrip_server')
const ownerUrl = atDatabase(adminUrl, 'scrip_dev', 'scrip_owner')
const operatorUrl = atDatabase(adminUrl, 'scrip_dev', 'scrip_operator')
await migrate(ownerUrl, migrationsFolder, systemClock)
const kept = existsSync(secretsFile) ? (JSON.parse(readFileSync(secretsFile, 'utf8')) as Kept) : undefined
// Keys are stored as digests and codes are sealed, so a copy of what opens them stays in .scrip.
const { pepper, keyRing } = kept ?? {
  pepper: systemRandom(32).toString('hex'),
  keyRing: `1:${systemRandom(32).toString('hex')}`,
}
const port = process.env.PORT ?? '8080'
// A network of our own, with a block a second. It goes on where it stopped.
const chainState = join(folder, 'chain.json')
const chain = await startAnvil(['--block-time', '1', '--slots-in-an-epoch', '1', '--state', chainState], 'SIGTERM')
const mailFolder = join(folder, 'mail')
mkdirSync(mailFolder, { recursive: true })
const mailbox = await openMailbox(({ subject = '', html = '', text = '' }) => {
  const name = `${new Date().toISOString().replaceAll(':', '')} ${subject.replaceAll(/\s/g, ' ').replaceAll(/[^\p{L}\p{N} .]/gu, '')}`
  writeFileSync(join(mailFolder, `${name}.html`), html)
  writeFileSync(join(mailFolder, `${name}.txt`), text)
})
const config = readConfig({
  DATABASE_URL: url,
  OPERATOR_DATABASE_URL: operatorUrl,
  CHAIN_DATABASE_URL: atDatabase(adminUrl, 'scrip_dev', 'scrip_chain'),
  KEY_PEPPER: pepper,
  KEY_RING: keyRing,
  PORT: port,
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  SMTP_URL: mailbox.url,
  MAIL_FROM: 'Scrip <pay@scrip.example>',
  // Whoever tries it receives webhooks on the same machine.
  WEBHOOK_NETWORKS: '127.0.0.0/8,::1/128',
  CHAIN_NODES: `LOCAL=${chain.url}`,
  SWEEP_KEY: sweepKey,
  REQUESTS_PER_MINUTE: '100000',
  KEY_REQUESTS_PER_MINUTE: '100000',
})
const startedMs = performance.now()
const world = kept?.world ?? (await createDemoWorld(config, { days: 90, until: systemClock() }))
const worldSeconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
writeFileSync(secretsFile, JSON.stringify({ pepper, keyRing, world }), { mode: 0o600 })

const pool = createPool(operatorUrl, 1)
await setDemoRates(pool)
const { treasury, factory } = await prepareChain(pool, chain.url)
const ratesTimer = setInterval(() => void setDemoRates(pool), 60 * 1_000)

const log = createLog(config.logLevel)
const { app, sweeps, stop } = await buildApp(config, log)
const worker = startSweeps(sweeps, log)
const close = async (): Promise<void> => {
  clearInterval(ratesTimer)
  await pool.end()
  await worker.stop()
  await stop()
  await mailbox.close()
  await chain.stop()
  await postgres?.stop()
  rmSync(worldFile, { force: true })
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close())
await app.listen({ host: config.host, port: config.port })
writeFileSync(
  worldFile,
  `${JSON.stringify({ baseUrl: config.publicUrl, ...world, chain: { rpcUrl: chain.url, treasury, factory } }, null, 2)}\n`,
)

const { merchant, vouchers, user, staff } = world
console.log(`
  Scrip is ready, in test mode.

  API          ${config.publicUrl}
  Reference    ${config.publicUrl}/docs
  Merchant     Demo Shop (${merchant.code})
  Public key   ${merchant.publicKey}
  Secret key   ${merchant.secretKey}
  Its past     ${kept === undefined ? `three months of trade, made in ${worldSeconds} s` : 'as it was left'}
  All of it    .scrip/dev.json
  E-mail       .scrip/mail/, whatever would be sent
  Chain        ${chain.url}, a block a second

  Wallet       ${config.publicUrl}/app?mode=test
               ${user.email}, password "${user.password}", pin ${user.pin}
  Dashboard    ${config.publicUrl}/dashboard/${merchant.code}/test
               ${staff.owner.email} or, at a till, ${staff.cashier.email}; the same words

  Voucher      ${vouchers.plain.code}  with 100.00 USD
  Its page     ${config.publicUrl}/v#${vouchers.plain.code}
  Invoice us   ${config.publicUrl}/invoice?to=${merchant.code}&mode=test
  Locked one   ${vouchers.locked.code}  with pin ${vouchers.locked.pin}

  Try:
  curl -H "Authorization: Bearer ${merchant.publicKey}" -H "Content-Type: application/json" \\
    -d '{"voucherCode":"${vouchers.plain.code}","amount":10}' \\
    "${config.publicUrl}/merchant-integrations/redeem-voucher"

  Ctrl-C stops everything.
`)
