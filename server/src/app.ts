import { systemClock } from './base/clock.ts'
import { createPool } from './base/db.ts'
import { checkIsolation } from './base/environment.ts'
import { createIds } from './base/id.ts'
import type { Log } from './base/log.ts'
import { systemRandom } from './base/random.ts'
import type { Config } from './config.ts'
import apiReference from '@scalar/fastify-api-reference'
import { registerChargeRoutes } from './charge/routes.ts'
import { registerCurrencyRoutes } from './currency/routes.ts'
import { createLogoUrl } from './currency/wire.ts'
import { registerCustomerRoutes } from './customer/routes.ts'
import { createServer } from './http/server.ts'
import { createAuthenticate } from './merchant/authenticate.ts'
import { registerGuard } from './merchant/guard.ts'
import { registerMerchantRoutes } from './merchant/routes.ts'

// A database that is silent for this long is told as unavailable.
const answerTimeoutMs = 10_000

const referencePolicy =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"

/** The whole API, ready to listen. The only file beside main.ts that knows every feature. */
export async function buildApp(config: Config, log: Log) {
  const pool = createPool(config.databaseUrl, 10, answerTimeoutMs)
  const newId = createIds(systemClock, systemRandom)
  const server = await createServer({
    log,
    newId,
    proxies: config.proxies,
    requestsPerMinute: config.requestsPerMinute,
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
  const authenticate = createAuthenticate({ db: pool, clock: systemClock, pepper: config.keyPepper })
  registerGuard(server, authenticate, config.keyRequestsPerMinute)
  const logoUrl = createLogoUrl(config.publicUrl)
  registerCurrencyRoutes(server, pool, logoUrl)
  registerMerchantRoutes(server, pool, logoUrl, systemClock)
  registerChargeRoutes(server, { pool, clock: systemClock })
  registerCustomerRoutes(server, { pool, clock: systemClock, newId })
  return {
    app: server.app,
    checkIsolation: () => checkIsolation(pool),
    stop: async (): Promise<void> => {
      await server.stop()
      await pool.end()
    },
  }
}
