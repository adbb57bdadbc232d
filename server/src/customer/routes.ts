import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { answers, anyRole, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { acknowledge, answer } from '../http/envelope.ts'
import { pageQuery } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import type { PostTools } from '../ledger/batch.ts'
import { addCustomer, changeCustomer, listCustomers, removeCustomer } from './manage.ts'

const details = {
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
}
const id = Type.String({ format: 'uuid' })

export function registerCustomerRoutes(server: Server, tools: PostTools): void {
  const api = endpoints(server, ['Customers'])
  api.post('/merchant-integrations-server/add-new-customer', secretKey('cashier'), {
    summary: 'Adds a customer',
    body: closed(details),
    handler: async (request) => {
      const customer = await addCustomer(tools, callerOf(request), request.body)
      return { ...acknowledge('The customer was added.'), data: { id: customer.id } }
    },
  })

  api.post('/merchant-integrations-server/update-customer', secretKey('cashier'), {
    summary: 'Updates a customer',
    body: closed({ id, ...details }),
    handler: async (request) => {
      await changeCustomer(tools, callerOf(request), request.body)
      return acknowledge('The customer was updated.')
    },
  })

  api.delete('/merchant-integrations/delete-customer/:customerID', secretKey(), {
    summary: 'Deletes a customer',
    params: Type.Object({ customerID: id }),
    handler: async (request) => {
      await removeCustomer(tools, callerOf(request), request.params.customerID)
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
      const caller = callerOf(request)
      const { page, limit } = request.query
      const { customers, total } = await listCustomers(tools, caller, request.query)
      const customer = customers.map((one) => ({ ...one, merchantID: caller.merchantId }))
      return answer('Customers.', { customer, limit, page, total })
    },
  })
}
