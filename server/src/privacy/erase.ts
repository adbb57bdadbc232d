import { createHmac } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import type { NewId } from '../base/id.ts'
import { customerError } from '../identity/customer/errors.ts'
import { userError } from '../identity/user/errors.ts'
import { privacyError } from './errors.ts'
import {
  type Erasure,
  erasePage,
  findAddressBlocker,
  findBlocker,
  findUnfinished,
  findUserIds,
  listAddresses,
  startAddress,
  startCustomer,
  startUser,
} from './store.ts'

export type EraseTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }
/** The first pepper makes digests of addresses; all of them are tried when an address is looked for. */
export type AddressTools = EraseTools & { readonly peppers: readonly [Buffer, ...Buffer[]] }

const rowsAtOnce = 2_000

/** Erases the account of a user at once and starts to erase what else is stored about the user. A job does the rest. */
export async function eraseUser({ pool, clock, newId }: EraseTools, userId: string): Promise<void> {
  refuse(await startUser(pool, newId(), userId, clock()))
}

/** Erases a customer of one merchant, in the records of this merchant only. */
export async function eraseCustomer(tools: EraseTools, environmentId: string, customerId: string): Promise<void> {
  const { pool, clock, newId } = tools
  refuse(await withEnvironment(pool, environmentId, (tx) => startCustomer(tx, newId(), customerId, clock())))
}

/** Erases an email address everywhere, with the accounts of all realms that use it: all of it, or nothing yet. */
export async function eraseAddress(tools: AddressTools, given: string): Promise<void> {
  const { pool, clock, newId, peppers } = tools
  const address = given.trim().toLowerCase()
  await inTransaction(pool, async (tx) => {
    const userIds = await findUserIds(tx, address)
    for (const userId of userIds) refuse(await findBlocker(tx, userId))
    refuse(await findAddressBlocker(tx, address))
    const digest = digestOf(peppers[0], address)
    // Before the accounts, whose erasure makes the address unknown.
    refuse(await startAddress(tx, newId(), { address, digest }, clock()))
    for (const userId of userIds) refuse(await startUser(tx, newId(), userId, clock()))
  })
}

/** Erases pages until nothing is left to do. Safe to interrupt: the next call goes on. */
export async function finishErasures({ pool, clock }: EraseTools): Promise<void> {
  for (let id = await findUnfinished(pool); id !== undefined; id = await findUnfinished(pool)) {
    while (await erasePage(pool, id, clock(), rowsAtOnce)) continue
  }
}

/** Erases the next page of the oldest erasure. Returns whether there is more. */
export async function continueErasure({ pool, clock }: EraseTools): Promise<boolean> {
  const id = await findUnfinished(pool)
  if (id === undefined) return false
  await erasePage(pool, id, clock(), rowsAtOnce)
  return true
}

/** Names an erasure in a line without personal data. */
export function writeErasure({ kind, environmentId, subjectId, digest }: Erasure): string {
  return [kind, environmentId, subjectId, digest].filter((part) => part !== null).join(' ')
}

/**
 * Starts the erasures of a list again, after a backup was restored that is older than they are. Returns how many were started. What is
 * erased already stays as it is.
 */
export async function eraseAgain(tools: AddressTools, lines: readonly string[]): Promise<number> {
  const digests = new Set(lines.flatMap((line) => /^address ([0-9a-f]{64})$/.exec(line)?.[1] ?? []))
  const starts: (() => Promise<void>)[] = []
  for (const line of lines) {
    const [kind, first = '', second = ''] = line.split(' ')
    if (kind === 'user') starts.push(() => eraseUser(tools, first))
    else if (kind === 'customer') starts.push(() => eraseCustomer(tools, first, second))
    else if (kind !== 'address') throw new Error(`This line names no erasure: ${line}`)
  }
  const known = digests.size === 0 ? [] : await listAddresses(tools.pool)
  const isErased = (address: string) =>
    tools.peppers.some((pepper) => digests.has(digestOf(pepper, address).toString('hex')))
  for (const address of known.filter(isErased)) starts.push(() => eraseAddress(tools, address))
  let started = 0
  for (const start of starts) if (await hasStarted(start)) started++
  return started
}

/** False where the restored database never had the person. */
async function hasStarted(start: () => Promise<void>): Promise<boolean> {
  try {
    await start()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(USER|CUSTOMER)_NOT_FOUND$/.test(String(error.code)))
      return false
    throw error
  }
}

function digestOf(pepper: Buffer, address: string): Buffer {
  return createHmac('sha256', pepper).update(`erased address ${address}`).digest()
}

function refuse(code: string): void {
  if (code === '') return
  if (code === 'USER_NOT_FOUND') throw userError(code)
  if (code === 'CUSTOMER_NOT_FOUND') throw customerError(code)
  throw privacyError(code as Parameters<typeof privacyError>[0])
}
