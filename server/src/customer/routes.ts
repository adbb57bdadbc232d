import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { pageQuery } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import type { PostTools } from '../ledger/batch.ts'
import { customerError } from './errors.ts'
import { fold } from './search.ts'
import { deleteCustomer, insertCustomer, searchPage, selectPage, updateCustomer } from './store.ts'

const details = {
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
}
const id = Type.String({ format: 'uuid' })

export function registerCustomerRoutes(server: Server, { pool, clock, newId }: PostTools): void {
  const api = endpoints(server, ['Customers'])
  api.post('/merchant-integrations-server/add-new-customer', secretKey('cashier'), {
    summary: 'Adds a customer',
    body: closed(details),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const customer = { id: newId(), ...request.body }
      await withEnvironment(pool, environmentId, (tx) => insertCustomer(tx, environmentId, customer, clock()))
      return { ...acknowledge('The customer was added.'), data: { id: customer.id } }
    },
  })

  api.post('/merchant-integrations-server/update-customer', secretKey('cashier'), {
    summary: 'Updates a customer',
    body: closed({ id, ...details }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const isThere = await withEnvironment(pool, environmentId, (tx) =>
        updateCustomer(tx, environmentId, request.body),
      )
      if (!isThere) throw customerError('CUSTOMER_NOT_FOUND')
      return acknowledge('The customer was updated.')
    },
  })

  api.delete('/merchant-integrations/delete-customer/:customerID', secretKey(), {
    summary: 'Deletes a customer',
    params: Type.Object({ customerID: id }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { customerID } = request.params
      const wasThere = await withEnvironment(pool, environmentId, (tx) => deleteCustomer(tx, environmentId, customerID))
      if (!wasThere) throw customerError('CUSTOMER_NOT_FOUND')
      return acknowledge('The customer was deleted.')
    },
  })

  const listed = Type.Object({
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    merchantID: Type.String(),
  })
  api.get('/merchant-integrations/fetch-customers', secretKey(...anyRole), {
    summary: 'Lists customers, newest first',
    description:
      'A search matches any part of name or e-mail, without regard to case and accents. It counts up to 1,000. Fewer than three letters look among the newest 10,000.',
    querystring: Type.Object({ ...pageQuery, search: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: answers({
      customer: Type.Array(listed),
      limit: Type.Integer(),
      page: Type.Integer(),
      total: Type.Integer(),
    }),
    handler: async (request) => {
      const { environmentId, merchantId: merchantID } = callerOf(request)
      const { page, limit, search = '' } = request.query
      const term = fold(search)
      const { customers, total } = await withEnvironment(pool, environmentId, (tx) =>
        term === '' ? selectPage(tx, environmentId, page, limit) : searchPage(tx, environmentId, term, page, limit),
      )
      const customer = customers.map((one) => ({ ...one, merchantID }))
      return answer('Customers.', { customer, limit, page, total })
    },
  })
}
