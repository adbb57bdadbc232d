import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { answers, closed, documented } from '../http/endpoint.ts'
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
const tags = ['Customers']

export function registerCustomerRoutes({ app }: Server, tools: PostTools): void {
  app.post(
    '/merchant-integrations-server/add-new-customer',
    documented(tags, 'secret', ['cashier'], {
      summary: 'Adds a customer',
      body: closed(details),
    }),
    async (request) => {
      const customer = await addCustomer(tools, callerOf(request), request.body)
      return { ...acknowledge('The customer was added.'), data: { id: customer.id } }
    },
  )

  app.post(
    '/merchant-integrations-server/update-customer',
    documented(tags, 'secret', ['cashier'], {
      summary: 'Updates a customer',
      body: closed({ id, ...details }),
    }),
    async (request) => {
      await changeCustomer(tools, callerOf(request), request.body)
      return acknowledge('The customer was updated.')
    },
  )

  app.delete(
    '/merchant-integrations/delete-customer/:customerID',
    documented(tags, 'secret', [], {
      summary: 'Deletes a customer',
      params: Type.Object({ customerID: id }),
    }),
    async (request) => {
      await removeCustomer(tools, callerOf(request), request.params.customerID)
      return acknowledge('The customer was deleted.')
    },
  )

  const listed = Type.Object({
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    merchantID: Type.String(),
  })
  app.get(
    '/merchant-integrations/fetch-customers',
    documented(tags, 'secret', ['cashier', 'accountant', 'developer'], {
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
    }),
    async (request) => {
      const caller = callerOf(request)
      const { page, limit } = request.query
      const { customers, total } = await listCustomers(tools, caller, request.query)
      const customer = customers.map((one) => ({ ...one, merchantID: caller.merchantId }))
      return answer('Customers.', { customer, limit, page, total })
    },
  )
}
