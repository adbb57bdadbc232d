import Type from 'typebox'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../http/envelope.ts'
import { closed } from '../http/schema.ts'
import type { Server } from '../http/server.ts'
import { confirmAct, type PinTools } from '../identity/user/pin.ts'
import { wirePin } from '../identity/user/routes.ts'
import { signedOf } from '../identity/user/session.ts'
import { eraseCustomer, eraseUser, type EraseTools } from './erase.ts'
import { exportCustomer, exportUser, type PersonalData } from './export.ts'
import { wirePersonalData } from './wire.ts'

const confirmed = closed({ pin: Type.Optional(wirePin) })
const oneCustomer = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** Users export and erase their own data in the wallet app; merchants that of their customers in the dashboard. */
export function registerPrivacyRoutes(server: Server, tools: EraseTools & PinTools): void {
  const api = endpoints(server)
  const { pool } = tools

  api.post('/me/export', 'wallet', {
    body: confirmed,
    response: { 200: enveloped(wirePersonalData) },
    handler: async (request) => {
      const signed = signedOf(request)
      await confirmAct(tools, signed, request.body.pin)
      return answer('What is stored about you.', toWire(await exportUser(pool, signed.user.id)))
    },
  })
  api.post('/me/erase', 'wallet', {
    body: confirmed,
    handler: async (request) => {
      const signed = signedOf(request)
      await confirmAct(tools, signed, request.body.pin)
      await eraseUser(tools, signed.user.id)
      return acknowledge('Your account is deleted.')
    },
  })
  api.get('/merchant/customers/:id/data', staff('accountant'), {
    params: oneCustomer,
    response: { 200: enveloped(wirePersonalData) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const data = await exportCustomer(pool, environmentId, request.params.id.toLowerCase())
      return answer('What is stored about the customer.', toWire(data))
    },
  })
  api.post('/merchant/customers/:id/erase', staff('accountant'), {
    params: oneCustomer,
    handler: async (request) => {
      await eraseCustomer(tools, callerOf(request).environmentId, request.params.id.toLowerCase())
      return acknowledge('The customer is erased.')
    },
  })
}

function toWire(data: PersonalData) {
  return {
    sections: Object.entries(data).map(([name, rows]) => ({ name, rows: rows as Record<string, unknown>[] })),
  }
}
