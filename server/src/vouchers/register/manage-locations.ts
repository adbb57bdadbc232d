import type { Clock } from '../../base/clock.ts'
import { inTransaction, type Pool, type Tx, violates } from '../../base/db.ts'
import { actFor } from '../../base/environment.ts'
import type { NewId } from '../../base/id.ts'
import { listEnvironments } from '../../identity/merchant/store.ts'
import { registerError } from './errors.ts'
import { hasOpenShift } from './shift-store.ts'
import {
  closeLocation,
  closeRegister,
  insertLocation,
  insertRegister,
  listLocations,
  listRegisters,
  type Location,
  lockForClosing,
  lockLocation,
  type Register,
  saveLocation,
} from './store.ts'

export type LocationTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }

export type LocationInput = { readonly name: string; readonly address: string }

export type LocationWithRegisters = Location & { readonly registers: readonly Register[] }

export async function readLocations({ pool }: LocationTools, merchantId: string): Promise<LocationWithRegisters[]> {
  const [locations, registers] = await Promise.all([listLocations(pool, merchantId), listRegisters(pool, merchantId)])
  return locations.map((location) => ({
    ...location,
    registers: registers.filter(({ locationId }) => locationId === location.id),
  }))
}

export async function addLocation(tools: LocationTools, merchantId: string, input: LocationInput): Promise<string> {
  const id = tools.newId()
  await insertLocation(tools.pool, { ...input, id, merchantId, createdAt: tools.clock() }).catch(explainName)
  return id
}

export async function changeLocation(
  { pool }: LocationTools,
  merchantId: string,
  location: LocationInput & { readonly id: string },
): Promise<void> {
  const isSaved = await saveLocation(pool, merchantId, location).catch(explainName)
  if (!isSaved) throw registerError('LOCATION_NOT_FOUND')
}

export async function addRegister(
  tools: LocationTools,
  merchantId: string,
  { locationId, name }: { readonly locationId: string; readonly name: string },
): Promise<string> {
  const id = tools.newId()
  const register = { id, locationId, name, createdAt: tools.clock() }
  const isAdded = await insertRegister(tools.pool, merchantId, register).catch(explainName)
  if (!isAdded) throw registerError('LOCATION_NOT_FOUND')
  return id
}

/** Closes a location with its registers. Its sales stay in the reports. */
export async function removeLocation({ pool, clock }: LocationTools, merchantId: string, id: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    if (!(await lockLocation(tx, merchantId, id))) throw registerError('LOCATION_NOT_FOUND')
    await refuseInUse(tx, merchantId, id)
    await closeLocation(tx, id, clock())
  })
}

export async function removeRegister({ pool, clock }: LocationTools, merchantId: string, id: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    if (!(await lockForClosing(tx, merchantId, id))) throw registerError('REGISTER_NOT_FOUND')
    await refuseInUse(tx, merchantId, id)
    await closeRegister(tx, id, clock())
  })
}

/** A shift of either mode would have no register to be closed on. */
async function refuseInUse(tx: Tx, merchantId: string, placeId: string): Promise<void> {
  for (const environmentId of await listEnvironments(tx, merchantId)) {
    await actFor(tx, environmentId)
    if (await hasOpenShift(tx, environmentId, placeId)) throw registerError('REGISTER_IN_USE')
  }
}

function explainName(error: unknown): never {
  if (violates(error, 'locations_by_name')) throw registerError('LOCATION_NAME_TAKEN', { param: 'name' }, error)
  if (violates(error, 'registers_by_name')) throw registerError('REGISTER_NAME_TAKEN', { param: 'name' }, error)
  throw error
}
