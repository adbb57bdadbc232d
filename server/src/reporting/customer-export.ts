import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { writeInZone } from '../base/zone.ts'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { listCustomers } from '../identity/customer/store.ts'
import { findShop } from '../identity/merchant/store.ts'
import { sendCsv, toLine } from './csv.ts'

const exportPage = 1_000

/** All customers as a file, which an import reads again. */
export function registerCustomerExport(server: Server, { pool }: { readonly pool: Pool }): void {
  const api = endpoints(server)
  api.get('/merchant/customers.csv', staff('accountant'), {
    route: { exposeHeadRoute: false },
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const { timeZone } = await findShop(pool, environmentId)
      return sendCsv(reply, 'customers.csv', ['email', 'name', 'created'], async (cursor) => {
        const page = await withEnvironment(pool, environmentId, (tx) =>
          listCustomers(tx, environmentId, '', readCursor(cursor), exportPage),
        )
        return {
          lines: page.map(({ email, name, createdAt }) => toLine([email, name, writeInZone(createdAt, timeZone)])),
          next: page.length < exportPage ? '' : (page.at(-1)?.id ?? ''),
        }
      })
    },
  })
}
