import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { closed } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { customerError } from './errors.ts'
import { importCustomers } from './import-customers.ts'
import { countCustomers, findCustomer, listCustomers, type ListedCustomer } from './store.ts'
import { wireCustomerImport, wireCustomerList, type WireOneCustomer, wireOneCustomer } from './wire.ts'

const importBytesMax = 2 * 1024 * 1024

/** Customers in the dashboard. They are added, changed and deleted through the merchant API. */
export function registerStaffCustomerRoutes(server: Server, tools: PostTools): void {
  const api = endpoints(server)
  const { pool } = tools

  api.get('/merchant/customers', staff('accountant'), {
    querystring: Type.Object({ ...cursorQuery, search: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: { 200: enveloped(wireCustomerList) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, search = '' } = request.query
      const { found, count } = await withEnvironment(pool, environmentId, async (tx) => ({
        found: await listCustomers(tx, environmentId, search, readCursor(cursor), limit + 1),
        count: await countCustomers(tx, environmentId),
      }))
      const { page, continuation } = cutPage(found, limit)
      return answer('Your customers.', { customers: page.map(toWire), count, ...continuation })
    },
  })

  api.get('/merchant/customers/:id', staff('accountant'), {
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    response: { 200: enveloped(wireOneCustomer) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const customer = await withEnvironment(pool, environmentId, (tx) => findCustomer(tx, environmentId, id))
      if (customer === undefined) throw customerError('CUSTOMER_NOT_FOUND')
      return answer('The customer.', toWire(customer))
    },
  })

  api.post('/merchant/customers/import', staff('accountant'), {
    route: { bodyLimit: importBytesMax + 1_000 },
    body: closed({
      csv: Type.String({ minLength: 1, maxLength: importBytesMax }),
      isConfirmed: Type.Boolean({ description: 'False: the file is only checked' }),
    }),
    response: { 200: enveloped(wireCustomerImport) },
    handler: async (request) => {
      const imported = await importCustomers(tools, callerOf(request).environmentId, request.body)
      return answer(imported.isDone ? 'The customers are imported.' : 'Nothing was imported yet.', imported)
    },
  })
}

function toWire({ createdAt, ...customer }: ListedCustomer): WireOneCustomer {
  return { ...customer, createdAt: createdAt.toISOString() }
}
