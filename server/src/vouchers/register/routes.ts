import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { callerOf, type MerchantCaller } from '../../http/caller.ts'
import { anyRole, answers, endpoints, secretKey, staff } from '../../http/endpoint.ts'
import { acknowledge, answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import {
  addLocation,
  addRegister,
  changeLocation,
  type LocationTools,
  readLocations,
  removeLocation,
  removeRegister,
} from './manage-locations.ts'
import { closeShift, openShift } from './shift.ts'
import { findOpenShift, type Shift } from './shift-store.ts'
import { registerError } from './errors.ts'
import { findRegister } from './store.ts'
import { toWireLocation, toWireShift } from './to-wire.ts'
import { wireLocations, wireShift } from './wire.ts'

const url = '/merchant-integrations-server/locations'
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const made = { id: Type.String({ format: 'uuid' }) }
const name = Type.String({ minLength: 1, maxLength: 60, pattern: '\\S' })
const locationFields = {
  name,
  address: Type.Optional(Type.String({ maxLength: 300, pattern: '^([^\\n]*\\n){0,5}[^\\n]*$' })),
}

/** Places where a shop sells, their registers, and the shifts of cashiers. */
export function registerRegisterRoutes(server: Server, tools: LocationTools): void {
  registerLocations(server, tools)
  registerShifts(server, tools)
}

function registerLocations(server: Server, tools: LocationTools): void {
  const api = endpoints(server, ['Settings'])

  api.get(url, secretKey(...anyRole), {
    operationId: 'list-locations',
    summary: 'List locations and registers',
    description: 'The places where you sell, in test and live mode.',
    response: { 200: enveloped(wireLocations) },
    handler: async (request) => {
      const locations = await readLocations(tools, callerOf(request).merchantId)
      return answer('Your locations.', { locations: locations.map(toWireLocation) })
    },
  })

  api.post(url, secretKey(), {
    operationId: 'add-location',
    summary: 'Add a location',
    description: 'Names of locations differ, so a repeated request is refused.',
    body: closed(locationFields),
    response: answers(made),
    handler: async (request) => {
      const { name: named, address = '' } = request.body
      const id = await addLocation(tools, callerOf(request).merchantId, { name: named.trim(), address: address.trim() })
      return answer('The location was added.', { id })
    },
  })

  api.post(`${url}/:id`, secretKey(), {
    operationId: 'update-location',
    summary: 'Update a location',
    params,
    body: closed(locationFields),
    handler: async (request) => {
      const { name: named, address = '' } = request.body
      const location = { id: request.params.id, name: named.trim(), address: address.trim() }
      await changeLocation(tools, callerOf(request).merchantId, location)
      return acknowledge('The location was saved.')
    },
  })

  api.delete(`${url}/:id`, secretKey(), {
    operationId: 'remove-location',
    summary: 'Remove a location',
    description: 'With its registers. Its sales stay in the reports.',
    params,
    handler: async (request) => {
      await removeLocation(tools, callerOf(request).merchantId, request.params.id)
      return acknowledge('The location was removed.')
    },
  })

  api.post(`${url}/:id/registers`, secretKey(), {
    operationId: 'add-register',
    summary: 'Add a register',
    description: 'Names of registers of one location differ, so a repeated request is refused.',
    params,
    body: closed({ name }),
    response: answers(made),
    handler: async (request) => {
      const register = { locationId: request.params.id, name: request.body.name.trim() }
      return answer('The register was added.', { id: await addRegister(tools, callerOf(request).merchantId, register) })
    },
  })

  api.delete('/merchant-integrations-server/registers/:id', secretKey(), {
    operationId: 'remove-register',
    summary: 'Remove a register',
    params,
    handler: async (request) => {
      await removeRegister(tools, callerOf(request).merchantId, request.params.id)
      return acknowledge('The register was removed.')
    },
  })
}

function registerShifts(server: Server, tools: LocationTools): void {
  const api = endpoints(server)
  const { pool } = tools
  const shown = { shift: Type.Union([wireShift, Type.Null()]) }
  const toResponse = async (shift: Shift) => toWireShift(shift, await findCurrency(pool, shift.currency, 'any'))

  api.get('/merchant/registers/:id/shift', staff('cashier', 'accountant'), {
    params,
    response: answers(shown),
    handler: async (request) => {
      const { environmentId, merchantId } = callerOf(request)
      const { id } = request.params
      const shift = await withEnvironment(pool, environmentId, async (tx) => {
        const register = await findRegister(tx, merchantId, id)
        if (register === undefined) throw registerError('REGISTER_NOT_FOUND')
        return findOpenShift(tx, environmentId, register.id)
      })
      return answer('The open shift.', { shift: shift === undefined ? null : await toResponse(shift) })
    },
  })

  api.post('/merchant/shifts', staff('cashier'), {
    body: closed({
      registerId: Type.String({ format: 'uuid' }),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      openingFloat: wireAmount('The cash in the drawer'),
    }),
    response: { 200: enveloped(wireShift) },
    handler: async (request) => {
      const { registerId, currency } = request.body
      const input = {
        registerId,
        currency: currency.toUpperCase(),
        openingFloat: digitsOf(request.body, 'openingFloat') ?? '',
      }
      return answer('The shift is open.', await toResponse(await openShift(tools, cashierOf(callerOf(request)), input)))
    },
  })

  api.post('/merchant/shifts/:id/close', staff('cashier', 'accountant'), {
    params,
    body: closed({ counted: wireAmount('The counted cash'), note: Type.Optional(Type.String({ maxLength: 500 })) }),
    response: { 200: enveloped(wireShift) },
    handler: async (request) => {
      const { note = '' } = request.body
      const input = { id: request.params.id, counted: digitsOf(request.body, 'counted') ?? '', note }
      return answer(
        'The shift is closed.',
        await toResponse(await closeShift(tools, cashierOf(callerOf(request)), input)),
      )
    },
  })
}

function cashierOf(caller: MerchantCaller): MerchantCaller & { readonly memberId: string } {
  const { memberId } = caller
  if (memberId === undefined) throw new Error('A shift belongs to a staff member.')
  return { ...caller, memberId }
}
