import Type, { type Static, type TObject } from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { callerOf, idempotencyKeyOf } from '../../http/caller.ts'
import { answers, anyRole, endpoints, namingInActs, secretKey } from '../../http/endpoint.ts'
import { closed, named } from '../../http/schema.ts'
import { acknowledge, answer } from '../../http/envelope.ts'
import { idempotencyHeader, markReplayed, refuseTakenKey } from '../../http/idempotency.ts'
import { pageFields, pageQuery } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import type { PostTools } from '../../ledger/batch.ts'
import { createOnce } from '../../ledger/create-once.ts'
import { maskEmail, seesContacts } from '../user/contact.ts'
import { customerError } from './errors.ts'
import { fold } from './search.ts'
import { registerStaffCustomerRoutes } from './staff-routes.ts'
import { deleteCustomer, insertCustomer, searchPage, selectPage, updateCustomer } from './store.ts'
import { customerDetails } from './wire.ts'

const id = Type.String({ format: 'uuid' })

function claimOf(environmentId: string, key: string, customer: Static<TObject<typeof customerDetails>>) {
  const requestFingerprint = JSON.stringify(customer)
  return { kind: 'claim.customer', key: `customer/${environmentId}/create/${key}`, requestFingerprint }
}

export function registerCustomerRoutes(server: Server, tools: PostTools): void {
  const { pool } = tools
  const api = endpoints(server, ['Customers'])
  registerStaffCustomerRoutes(server, tools)
  api.post('/merchant-integrations-server/add-new-customer', secretKey('cashier', 'accountant'), {
    summary: 'Create a customer',
    headers: idempotencyHeader,
    body: closed(customerDetails),
    response: answers({ id }),
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const { email, name } = request.body
      const key = idempotencyKeyOf(request)
      const claim = key === undefined ? undefined : claimOf(environmentId, key, { email, name })
      const made = await createOnce(tools, environmentId, claim, (tx, newId) =>
        insertCustomer(tx, environmentId, { id: newId, email, name }, tools.clock()),
      ).catch(refuseTakenKey)
      markReplayed(reply, made)
      return answer('The customer was added.', { id: made.id })
    },
  })

  api.post('/merchant-integrations-server/update-customer', namingInActs(secretKey('cashier', 'accountant'), 'id'), {
    summary: 'Update a customer',
    body: closed({ id, ...customerDetails }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const isThere = await withEnvironment(pool, environmentId, (tx) =>
        updateCustomer(tx, environmentId, request.body),
      )
      if (!isThere) throw customerError('CUSTOMER_NOT_FOUND')
      return acknowledge('The customer was updated.')
    },
  })

  api.delete('/merchant-integrations/delete-customer/:customerID', secretKey('accountant'), {
    summary: 'Delete a customer',
    params: Type.Object({ customerID: id }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { customerID } = request.params
      const wasThere = await withEnvironment(pool, environmentId, (tx) => deleteCustomer(tx, environmentId, customerID))
      if (!wasThere) throw customerError('CUSTOMER_NOT_FOUND')
      return acknowledge('The customer was deleted.')
    },
  })

  const listed = named('Customer', {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    merchantID: Type.String(),
  })
  api.get('/merchant-integrations/fetch-customers', secretKey(...anyRole), {
    summary: 'List customers',
    description:
      'A search matches any part of the name or email, ignoring case and accents. It counts up to 1,000 matches. Searches of fewer than three letters cover the newest 10,000 customers. Sessions of cashiers and developers, which see addresses masked, find an address only if it is complete.',
    querystring: Type.Object({ ...pageQuery, search: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: answers({
      customer: Type.Array(listed),
      limit: Type.Integer(),
      page: Type.Integer(),
      total: Type.Integer(),
      ...pageFields,
    }),
    handler: async (request) => {
      const caller = callerOf(request)
      const { environmentId, merchantId: merchantID } = caller
      const { page, limit, search = '' } = request.query
      const term = fold(search)
      const seesEmails = seesContacts(caller)
      const { customers, total } = await withEnvironment(pool, environmentId, (tx) =>
        term === ''
          ? selectPage(tx, environmentId, page, limit)
          : searchPage(tx, environmentId, { term, seesEmails, page, limit }),
      )
      const mask = seesEmails ? (email: string) => email : maskEmail
      const customer = customers.map((one) => ({ ...one, email: mask(one.email), merchantID }))
      return answer('Customers.', { customer, limit, page, total, hasMore: page * limit < total })
    },
  })
}
