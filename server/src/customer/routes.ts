import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { acknowledge, acknowledged, answer, enveloped } from '../http/envelope.ts'
import { pageQuery } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { addCustomer, changeCustomer, type CustomerTools, listCustomers, removeCustomer } from './manage.ts'

const details = {
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
}
const id = Type.String({ format: 'uuid' })
const tags = ['Customers']

export function registerCustomerRoutes({ app }: Server, tools: CustomerTools): void {
  app.post(
    '/merchant-integrations-server/add-new-customer',
    {
      config: { credentials: 'secret', roles: ['cashier'] },
      schema: {
        summary: 'Adds a customer',
        tags,
        body: Type.Object(details, { additionalProperties: false }),
        response: { 200: acknowledged },
      },
    },
    async (request) => {
      const customer = await addCustomer(tools, callerOf(request), request.body)
      return { ...acknowledge('The customer was added.'), data: { id: customer.id } }
    },
  )

  app.post(
    '/merchant-integrations-server/update-customer',
    {
      config: { credentials: 'secret', roles: ['cashier'] },
      schema: {
        summary: 'Updates a customer',
        tags,
        body: Type.Object({ id, ...details }, { additionalProperties: false }),
        response: { 200: acknowledged },
      },
    },
    async (request) => {
      await changeCustomer(tools, callerOf(request), request.body)
      return acknowledge('The customer was updated.')
    },
  )

  app.delete(
    '/merchant-integrations/delete-customer/:customerID',
    {
      config: { credentials: 'secret', roles: [] },
      schema: {
        summary: 'Deletes a customer',
        tags,
        params: Type.Object({ customerID: id }),
        response: { 200: acknowledged },
      },
    },
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
    {
      config: { credentials: 'secret', roles: ['cashier', 'accountant', 'developer'] },
      schema: {
        summary: 'Lists customers, newest first',
        description:
          'A search matches any part of name or e-mail, without regard to case and accents. It counts up to 1,000. Fewer than three letters look among the newest 10,000.',
        tags,
        querystring: Type.Object({ ...pageQuery, search: Type.Optional(Type.String({ maxLength: 200 })) }),
        response: {
          200: enveloped(
            Type.Object({
              customer: Type.Array(listed),
              limit: Type.Integer(),
              page: Type.Integer(),
              total: Type.Integer(),
            }),
          ),
        },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { page, limit } = request.query
      const { customers, total } = await listCustomers(tools, caller, request.query)
      const customer = customers.map((one) => ({ ...one, merchantID: caller.merchantId }))
      return answer('Customers.', { customer, limit, page, total })
    },
  )
}
