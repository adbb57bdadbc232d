import { join } from 'node:path'
import { type Clock, systemClock } from './base/clock.ts'
import { createPool } from './base/db.ts'
import { checkIsolation } from './base/environment.ts'
import { createOwnership } from './base/ownership.ts'
import { createIds } from './base/id.ts'
import type { Log } from './base/log.ts'
import { systemRandom } from './base/random.ts'
import type { Config } from './config.ts'
import apiReference from '@scalar/fastify-api-reference'
import { registerAftercareRoutes } from './aftercare/routes.ts'
import { registerBatchRoutes } from './batch/routes.ts'
import { localSigner } from './chain/sign.ts'
import { checkChainRole } from './chain/store.ts'
import { logTrust } from './chain/trust.ts'
import { registerChargeRoutes } from './charge/routes.ts'
import { registerCurrencyRoutes } from './currency/routes.ts'
import { createLogoUrl } from './currency/wire.ts'
import { registerCustomerRoutes } from './customer/routes.ts'
import { registerIssuedRoutes } from './dashboard/issued-routes.ts'
import { registerDashboardRoutes } from './dashboard/routes.ts'
import { registerTillRoutes } from './dashboard/till-routes.ts'
import { createLive, lookAtEvents } from './event/live.ts'
import { createGuardedAgent } from './event/guarded-agent.ts'
import { registerDepositRoutes } from './deposit/routes.ts'
import { registerDepositWalletRoutes } from './deposit/wallet-routes.ts'
import { registerEventRoutes } from './event/routes.ts'
import { registerWebhookRoutes } from './event/webhook-routes.ts'
import { describeWebhooks } from './event/wire.ts'
import { createLimitAlert } from './exchange/alerts.ts'
import { registerHolderRoutes } from './holder/routes.ts'
import { registerHolderWalletRoutes } from './holder/wallet-routes.ts'
import { createServer } from './http/server.ts'
import { registerWeb } from './http/web.ts'
import { registerInvoiceRoutes } from './invoice/routes.ts'
import { createAuthenticate } from './merchant/authenticate.ts'
import { registerGuard } from './merchant/guard.ts'
import { createFindHouse } from './merchant/house.ts'
import { registerMemberRoutes } from './merchant/member-routes.ts'
import { joinMerchant } from './merchant/members.ts'
import { registerMerchantRoutes } from './merchant/routes.ts'
import { registerPublicClaims } from './public-claims.ts'
import { createPrinter } from './print/printer.ts'
import { registerPaymentRoutes } from './payment/routes.ts'
import { registerPushRoutes } from './push/routes.ts'
import { deriveVapid } from './push/vapid.ts'
import { registerOutflowRoutes } from './outflow/routes.ts'
import { registerPayoutRoutes } from './payout/routes.ts'
import { type LedgerOptions, openLedger } from './ledger/post.ts'
import { registerRefundRoutes } from './refund/routes.ts'
import { registerTransactionRoutes } from './transaction/routes.ts'
import { createAuth } from './user/auth.ts'
import type { Join } from './user/links.ts'
import { createDailyQuota, createPeopleQuota } from './user/quota.ts'
import { registerOperatorRoutes } from './user/operator-routes.ts'
import { registerUserRoutes } from './user/routes.ts'
import { createConfirmOwner } from './user/second-factor.ts'
import { createReadSession } from './user/session.ts'
import type { Realm } from './user/store.ts'
import { createFindFacts } from './voucher/facts.ts'
import { createGuessLimit } from './voucher/guess-limit.ts'
import { createKeyRing } from './voucher/key-ring.ts'
import { createPinCheck } from './voucher/pin.ts'
import { registerVoucherRoutes } from './voucher/routes.ts'
import { lookAtPeople } from './wallet/live.ts'
import { registerWalletRoutes } from './wallet/routes.ts'
import { createSenders } from './senders.ts'
import { listSweeps } from './worker.ts'

// Where `npm run build` puts the pages.
const webFolder = join(import.meta.dirname, '../../web/dist')
// A database that is silent for this long is told as unavailable.
const answerTimeoutMs = 10_000
// How many others one person may look for.
const peopleADay = 100

const referencePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"

/** What tests and benchmarks set. */
type Tuning = Pick<LedgerOptions, 'lanes' | 'batchMax'> & {
  /** How long currencies and charge rules may be used after they were read. */
  readonly settingsMs?: number
  readonly clock?: Clock
}

/** The whole API, ready to listen, and the work that is done beside it. */
export async function buildApp(
  config: Config,
  log: Log,
  { settingsMs = 1_000, clock = systemClock, ...ledgerOptions }: Tuning = {},
) {
  const pool = createPool(config.databaseUrl, 10, answerTimeoutMs)
  const chainPool = createPool(config.chainDatabaseUrl, 4, answerTimeoutMs)
  const newId = createIds(clock, systemRandom)
  const ledger = openLedger({ url: config.databaseUrl, clock, newId, ...ledgerOptions })
  const keyRing = createKeyRing(config.keyRing)
  const agent = createGuardedAgent(config.webhookNetworks)
  const ownership = createOwnership(config.databaseUrl)
  const live = createLive(() => lookAtEvents(pool), log)
  const livePeople = createLive(() => lookAtPeople(pool, clock), log)
  const server = await createServer({
    log,
    newId,
    clock,
    proxies: config.proxies,
    requestsPerMinute: config.requestsPerMinute,
    webhooks: describeWebhooks(),
    checkReady: async () => {
      await pool.query('select from ledger_books limit 1')
    },
  })
  // Before the guard: its pages are for everybody. They start with a script inside the page, which ours never do.
  server.app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/docs')) reply.header('Content-Security-Policy', referencePolicy)
    done()
  })
  await server.app.register(apiReference, {
    routePrefix: '/docs',
    // Nothing on the page calls anybody but this server.
    configuration: {
      title: 'Scrip API',
      url: '/docs/openapi.json',
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
    },
  })
  server.app.get('/docs/openapi.json', { config: { credentials: 'none' }, schema: { hide: true } }, () =>
    server.app.swagger(),
  )
  const authenticate = createAuthenticate({ db: pool, clock, peppers: config.keyPeppers })
  const issueTools = { pool, ledger, clock, newId, random: systemRandom, keyRing }
  const auth = (realm: Realm) => createAuth(realm, { ...config, pool, newId })
  const auths = { live: auth('live'), test: auth('test'), staff: auth('staff') }
  const readSession = createReadSession(pool, clock, auths)
  const { keyRequestsPerMinute } = config
  const findHouse = createFindHouse(pool, clock, newId, config.platformName)
  const alertLimit = createLimitAlert({ pool, clock, newId, findHouse, log })
  server.app.addHook('onError', (_request, _reply, error) => alertLimit(error))
  const access = registerGuard(server, { pool, clock, newId, authenticate, readSession, keyRequestsPerMinute })
  const logoUrl = createLogoUrl(config.publicUrl)
  const { publicUrl, platformName } = config
  const printer = createPrinter()
  registerPublicClaims(server, { ...issueTools, seals: keyRing })
  const findFacts = createFindFacts({ pool, clock, keyRing, settingsMs })
  // One for all doors: who guesses at one is known at the others.
  const limitGuesses = createGuessLimit(clock)
  const checkPin = createPinCheck({ pool, clock, newId, keyRing })
  const peopleTools = { ...issueTools, seals: keyRing }
  const join: Join = (tx, userId, merchantId, role) => joinMerchant(tx, userId, merchantId, role, clock())
  registerUserRoutes(server, { ...peopleTools, publicUrl, auths, readSession, join })
  registerOperatorRoutes(server, peopleTools)
  const confirmOwner = createConfirmOwner({ ...peopleTools, staff: auths.staff })
  registerMemberRoutes(server, { ...peopleTools, confirmOwner })
  registerCurrencyRoutes(server, pool, logoUrl)
  registerMerchantRoutes(server, { pool, clock, logoUrl })
  const countPerson = createDailyQuota(clock, peopleADay)
  registerWalletRoutes(server, { ...peopleTools, countPerson, livePeople })
  registerChargeRoutes(server, { pool, clock })
  const countPeople = createPeopleQuota(clock)
  registerPaymentRoutes(server, { ...peopleTools, countPeople })
  registerPayoutRoutes(server, { ...peopleTools, countPeople })
  const senders = createSenders(issueTools)
  registerOutflowRoutes(server, { ...peopleTools, senders, confirmOwner })
  registerCustomerRoutes(server, { pool, clock, newId })
  registerTransactionRoutes(server, { pool, clock, newId, logoUrl, platformName })
  registerVoucherRoutes(server, { ...issueTools, findFacts, checkPin, limitGuesses, logoUrl, publicUrl })
  registerBatchRoutes(server, { ...issueTools, publicUrl, printer })
  registerAftercareRoutes(server, { ...issueTools, checkPin, logoUrl })
  registerRefundRoutes(server, issueTools)
  registerInvoiceRoutes(server, { ...issueTools, logoUrl, printer })
  const depositTools = { ...issueTools, nodes: config.chainNodes }
  registerDepositWalletRoutes(server, { ...depositTools, findHouse })
  registerDepositRoutes(server, { ...depositTools, logoUrl })
  registerEventRoutes(server, { pool, live })
  const webhookTools = { pool, clock, newId, random: systemRandom, seals: keyRing, networks: config.webhookNetworks }
  registerWebhookRoutes(server, webhookTools)
  const vapid = deriveVapid(config.keyRing, publicUrl)
  registerPushRoutes(server, { ...webhookTools, vapid })
  const redeemTools = { ...peopleTools, findFacts, checkPin }
  registerHolderWalletRoutes(server, { ...redeemTools, findHouse, limitGuesses, countPerson })
  registerHolderRoutes(server, { pool, clock, keyRing, checkPin, limitGuesses, platformName, live })
  registerDashboardRoutes(server, { pool, clock, live })
  registerIssuedRoutes(server, issueTools)
  registerTillRoutes(server, { ...issueTools, auth: auths.staff })
  registerWeb(server, webFolder, {
    '/v': 'holder/index.html',
    '/link': 'link/index.html',
    '/invoice': 'invoice/index.html',
    '/app': 'wallet/index.html',
    '/app/*': 'wallet/index.html',
    '/dashboard': 'dashboard/index.html',
    '/dashboard/*': 'dashboard/index.html',
  })
  return {
    app: server.app,
    /** Every endpoint, and who may call it. */
    access,
    /** What a worker does. */
    sweeps: listSweeps({
      ...issueTools,
      ...webhookTools,
      agent,
      ownership,
      log,
      vapid,
      platformName,
      publicUrl,
      mailServer: config.mailServer,
      nodes: config.chainNodes,
      chainPool,
      signers: config.sweepKeys.map(localSigner),
    }),
    checkIsolation: () => checkIsolation(pool),
    /** Fails where networks are to be read and the database lets nobody record what is on them. */
    checkChainRole: async () => {
      if (Object.keys(config.chainNodes).length > 0) await checkChainRole(chainPool)
    },
    /** Says in the log which live networks rely on a single node. */
    logNodes: () => logTrust(pool, config.chainNodes, log),
    stop: async (): Promise<void> => {
      live.stop()
      livePeople.stop()
      await server.stop()
      await printer.close()
      await ledger.close()
      await agent.close()
      await ownership.close()
      await chainPool.end()
      await pool.end()
    },
  }
}
