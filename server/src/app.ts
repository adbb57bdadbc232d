import { systemClock } from './base/clock.ts'
import { createPool } from './base/db.ts'
import { createIds } from './base/id.ts'
import type { Log } from './base/log.ts'
import { systemRandom } from './base/random.ts'
import type { Config } from './config.ts'
import { registerChargeRoutes } from './charge/routes.ts'
import { registerCurrencyRoutes } from './currency/routes.ts'
import { createLogoUrl } from './currency/wire.ts'
import { registerCustomerRoutes } from './customer/routes.ts'
import { createServer } from './http/server.ts'
import { createAuthenticate } from './merchant/authenticate.ts'
import { registerGuard } from './merchant/guard.ts'
import { registerMerchantRoutes } from './merchant/routes.ts'

/** The whole API, ready to listen. The only file beside main.ts that knows every feature. */
export async function buildApp(config: Config, log: Log) {
  const pool = createPool(config.databaseUrl)
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
  const authenticate = createAuthenticate({ db: pool, clock: systemClock, pepper: config.keyPepper })
  registerGuard(server, authenticate, config.keyRequestsPerMinute)
  const logoUrl = createLogoUrl(config.publicUrl)
  registerCurrencyRoutes(server, pool, logoUrl)
  registerMerchantRoutes(server, pool, logoUrl)
  registerChargeRoutes(server, { pool, clock: systemClock })
  registerCustomerRoutes(server, { pool, clock: systemClock, newId })
  return {
    app: server.app,
    stop: async (): Promise<void> => {
      await server.stop()
      await pool.end()
    },
  }
}
