import { createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool } from '../base/db.ts'
import { hasCode } from '../base/errors.ts'
import type { NewId } from '../base/id.ts'
import { userError } from '../identity/user/errors.ts'
import { privacyError } from './errors.ts'
import {
  eraseInvoiceSenders,
  type Erasure,
  erasePage,
  findUserIds,
  listAddresses,
  listUnfinished,
  startAddress,
  startUser,
} from './store.ts'

/** With the operator's role: the server's may not call any of these functions. */
export type EraseTools = { readonly pool: Pool; readonly clock: Clock; readonly newId: NewId }
/** The first pepper makes digests of addresses; all of them are tried when an address is looked for. */
export type AddressTools = EraseTools & { readonly peppers: readonly [Buffer, ...Buffer[]] }
/** What could not be erased, named without personal data. */
export type Failure = { readonly what: string; readonly reason: string }

const rowsAtOnce = 2_000
const invoicesAtOnce = 500
const triesMax = 20

/** Erases the account of a user at once. `finishErasures` erases what the user did. */
export async function eraseUser({ pool, clock, newId }: EraseTools, userId: string): Promise<void> {
  refuse(await yielding(() => startUser(pool, newId(), userId, clock())))
}

/** Erases an email address everywhere, with the accounts of all realms that use it: all of it, or nothing yet. */
export async function eraseAddress(tools: AddressTools, given: string): Promise<void> {
  const { pool, clock, newId, peppers } = tools
  const address = given.trim().toLowerCase()
  const start = () =>
    inTransaction(pool, async (tx) => {
      const userIds = await findUserIds(tx, address)
      const digest = digestOf(peppers[0], address)
      // Before the accounts, whose erasure makes the address unknown.
      refuse(await startAddress(tx, newId(), { address, digest }, clock()))
      for (const userId of userIds) refuse(await startUser(tx, newId(), userId, clock()))
    })
  await yielding(start)
}

/** Finishes all erasures that were started, also by a process that was killed. One that fails does not keep the others. */
export async function finishErasures({ pool, clock }: EraseTools): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const id of await listUnfinished(pool)) {
    try {
      let result = await yielding(() => erasePage(pool, id, clock(), rowsAtOnce))
      while (result === 'more') result = await yielding(() => erasePage(pool, id, clock(), rowsAtOnce))
      if (result === 'busy') failures.push({ what: id, reason: 'Another process erases this.' })
    } catch (error) {
      failures.push({ what: id, reason: reasonOf(error) })
    }
  }
  return failures
}

/** Erases the senders of invoices that were decided so many years ago. Returns of how many. */
export async function eraseOldSenders({ pool, clock }: EraseTools, years: number): Promise<number> {
  const before = clock()
  before.setUTCFullYear(before.getUTCFullYear() - years)
  let erased = 0
  for (let page = invoicesAtOnce; page === invoicesAtOnce; erased += page)
    page = await eraseInvoiceSenders(pool, before, invoicesAtOnce)
  return erased
}

/** Names an erasure in a line without personal data. */
export function writeErasure({ kind, userId, digest }: Erasure): string {
  return `${kind} ${userId ?? digest ?? ''}`
}

/**
 * Starts the erasures of a list again, after a backup was restored that is older than they are. Returns how many were started and which
 * were refused. What is erased already stays as it is.
 */
export async function eraseAgain(
  tools: AddressTools,
  lines: readonly string[],
): Promise<{ readonly started: number; readonly failures: readonly Failure[] }> {
  const listed = lines.map((line) => /^(?:user ([0-9a-f-]{36})|address ([0-9a-f]{64}))$/.exec(line.trim()))
  const wrong = lines[listed.indexOf(null)]
  if (wrong !== undefined) throw new Error(`This line names no erasure: ${wrong}`)
  const digests = new Set(listed.flatMap((match) => match?.[2] ?? []))
  const known = digests.size === 0 ? [] : await listAddresses(tools.pool)
  const starts = listed.flatMap((match) => {
    const userId = match?.[1]
    return userId === undefined ? [] : [{ what: `user ${userId}`, start: () => eraseUser(tools, userId) }]
  })
  for (const address of known) {
    const digest = tools.peppers
      .map((pepper) => digestOf(pepper, address).toString('hex'))
      .find((each) => digests.has(each))
    if (digest !== undefined) starts.push({ what: `address ${digest}`, start: () => eraseAddress(tools, address) })
  }
  let started = 0
  const failures: Failure[] = []
  for (const { what, start } of starts) {
    try {
      await start()
      started++
    } catch (error) {
      // The restored database never had the user.
      if (!hasCode(error, 'USER_NOT_FOUND')) failures.push({ what, reason: reasonOf(error) })
    }
  }
  return { started, failures }
}

/** Tries again what gave way to a payment: it waits for a lock for half a second only. */
async function yielding<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const gaveWay = hasCode(error, '55P03') || hasCode(error, '40P01')
      if (!gaveWay || tries === triesMax) throw error
      await setTimeout(100)
    }
  }
}

/** The database names values in the details of an error, which are not repeated. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}

function digestOf(pepper: Buffer, address: string): Buffer {
  return createHmac('sha256', pepper).update(`erased address ${address}`).digest()
}

function refuse(code: string): void {
  if (code === '') return
  if (code === 'USER_NOT_FOUND') throw userError(code)
  throw privacyError(code as Parameters<typeof privacyError>[0])
}
