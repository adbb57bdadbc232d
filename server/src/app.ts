import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createAlertDifference } from './alert-difference.ts'
import { checkIsolation } from './base/environment.ts'
import { createCheckSchema } from './base/schema-version.ts'
import type { Job } from './base/jobs.ts'
import type { Log } from './base/log.ts'
import { systemRandom } from './base/random.ts'
import { localSigner } from './chain/sign.ts'
import { checkChainRole } from './chain/store.ts'
import { describeTrust, logTrust } from './chain/trust.ts'
import type { Config } from './config.ts'
import { describeWebhooks } from './messaging/event/to-wire.ts'
import { createLimitAlert } from './catalogue/exchange/alerts.ts'
import type { FindPlatformMerchant } from './http/caller.ts'
import { createInternalServer } from './http/internal.ts'
import { createReadiness, type Readiness } from './http/readiness.ts'
import { createServer, type Server } from './http/server.ts'
import { registerErrorPages } from './http/error-pages.ts'
import { registerSite } from './http/site.ts'
import { registerWeb } from './http/web.ts'
import { findMailBrand } from './identity/merchant/brand-store.ts'
import { createAuthenticate } from './identity/merchant/authenticate.ts'
import { type Access, registerGuard } from './identity/merchant/guard.ts'
import { createFindPlatformMerchant } from './identity/merchant/platform-merchant.ts'
import { deriveVapid, type Vapid } from './messaging/push/vapid.ts'
import { completeDocument } from './http/reference/complete-document.ts'
import { recordRequests } from './reporting/request-log/record.ts'
import { registerRoutes } from './routes.ts'
import { openServices, type Services, type Tuning } from './services.ts'
import { createLoadAuth } from './identity/user/load-auth.ts'
import { createReadSession, type ReadSession } from './identity/user/session.ts'
import type { Realm } from './identity/user/store.ts'
import { listJobs } from './worker.ts'

/** Has migrations/ and sql/. */
const schemaFolder = join(import.meta.dirname, '..')

// `npm run build` writes the web pages here.
const webFolder = join(import.meta.dirname, '../../web/dist')
const webPages = {
  '/': 'home/index.html',
  '/docs': 'docs/index.html',
  '/v': 'holder/index.html',
  '/link': 'link/index.html',
  '/invoice': 'invoice/index.html',
  '/app': 'wallet/index.html',
  '/app/*': 'wallet/index.html',
  '/dashboard': 'dashboard/index.html',
  '/dashboard/*': 'dashboard/index.html',
}

/** In development only. */
const demoPages = { '/ui': 'components/index.html' }

type App = {
  readonly app: Server['app']
  /** Metrics and health details, for operators only. */
  readonly internal: FastifyInstance
  /** All endpoints and their access rules. */
  readonly access: readonly Access[]
  /** The jobs of a worker. */
  readonly jobs: Job[]
  readonly checkIsolation: () => Promise<void>
  /** Throws if this release cannot work with the schema of the database. */
  readonly checkSchema: () => Promise<void>
  /** Throws if networks are configured but the database role may not record their payments. */
  readonly checkChainRole: () => Promise<void>
  /** Logs which live networks rely on a single node. */
  readonly logNodes: () => Promise<void>
  readonly readiness: Readiness
  /** Loads what the first sign-in would wait for. */
  readonly loadSignIn: () => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Builds the API, ready to listen, and the jobs of a worker. */
export async function buildApp(config: Config, log: Log, tuning: Tuning = {}): Promise<App> {
  const services = await openServices(config, log, tuning)
  const { pool, chainPool, clock, newId, limits } = services
  const checkSchema = createCheckSchema(schemaFolder)
  const readiness = createReadiness(() => checkSchema(services.healthPool), log)
  const server = await createServer({
    log,
    newId,
    limits,
    proxies: config.proxies,
    requestsPerMinute: config.requestsPerMinute,
    webhooks: describeWebhooks(),
    completeDocument,
    checkReady: readiness.check,
  })
  registerErrorPages(server)
  registerSite(server, config.platformName, tuning.demo)
  const auth = (realm: Realm) => createLoadAuth(realm, { ...config, pool, newId })
  const auths = { live: auth('live'), test: auth('test'), staff: auth('staff') }
  const readSession = createReadSession(pool, auths)
  const findPlatformMerchant = createFindPlatformMerchant(pool, clock, newId, config.platformName)
  const alertLimit = createLimitAlert({ pool, clock, newId, findPlatformMerchant, log })
  server.app.addHook('onError', (_request, _reply, error) => alertLimit(error))
  const access = registerAccess(server, services, readSession)
  const vapid = deriveVapid(config.keyRing, config.publicUrl)
  const { settingsMs = 1_000 } = tuning
  recordRequests(server, services.requestLog, clock)
  server.metrics.count('scrip_request_log_dropped', 'Requests that the request log lost', services.requestLog.dropped)
  registerRoutes(server, services, { auths, readSession, findPlatformMerchant, vapid, settingsMs })
  registerWeb(server, webFolder, tuning.demo === undefined ? webPages : { ...webPages, ...demoPages })
  const internal = createInternalServer({
    metrics: server.metrics,
    limits,
    readiness,
    describeNetworks: () => describeTrust(pool, config.chainNodes),
  })
  return {
    app: server.app,
    internal,
    access,
    jobs: listWorkerJobs(services, vapid, findPlatformMerchant),
    checkIsolation: () => checkIsolation(pool),
    checkSchema: () => checkSchema(pool),
    checkChainRole: async () => {
      if (Object.keys(config.chainNodes).length > 0) await checkChainRole(chainPool)
    },
    logNodes: () => logTrust(pool, config.chainNodes, log),
    readiness,
    loadSignIn: () => Promise.all(Object.values(auths).map((load) => load())),
    stop: async () => {
      readiness.stop()
      await stop(services, server, internal)
    },
  }
}

function registerAccess(
  server: Server,
  { config, pool, clock, newId, limits }: Services,
  readSession: ReadSession,
): readonly Access[] {
  const { keyPeppers: peppers, keyRequestsPerMinute } = config
  const { createLimit } = limits
  const authenticate = createAuthenticate({ db: pool, clock, peppers })
  return registerGuard(server, { pool, clock, newId, authenticate, readSession, createLimit, keyRequestsPerMinute })
}

function listWorkerJobs(services: Services, vapid: Vapid, findPlatformMerchant: FindPlatformMerchant): Job[] {
  const { config, pool, checkPool, chainPool, ledger, clock, newId, keyRing, agent, leases, log } = services
  return listJobs({
    pool,
    checkPool,
    alertDifference: createAlertDifference({ pool, clock, newId, findPlatformMerchant }),
    ledger,
    clock,
    newId,
    random: systemRandom,
    keyRing,
    seals: keyRing,
    networks: config.webhookNetworks,
    agent,
    leases,
    log,
    vapid,
    platformName: config.platformName,
    publicUrl: config.publicUrl,
    mailServer: config.mailServer,
    findBrand: (environmentId) => findMailBrand(pool, environmentId),
    nodes: config.chainNodes,
    chainPool,
    signers: {
      sweep: config.sweepKeys.map(localSigner),
      payout: config.payoutKeys.map(localSigner),
      voucher: config.voucherKeys.map(localSigner),
    },
  })
}

/** Finishes running requests first, then closes what they use. */
async function stop(services: Services, server: Server, internal: FastifyInstance): Promise<void> {
  const { live, liveUsers, printer, limits, ledger, agent, leases, chainPool, visitorPool, healthPool, pool } = services
  const { requestLog, requestLogPool, checkPool } = services
  live.stop()
  liveUsers.stop()
  await server.stop()
  await requestLog.close()
  await internal.close()
  await printer.close()
  limits.close()
  await ledger.close()
  await agent.close()
  await leases.close()
  await chainPool.end()
  await visitorPool.end()
  await healthPool.end()
  await requestLogPool.end()
  await checkPool.end()
  await pool.end()
}
