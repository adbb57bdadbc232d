import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { inTransaction, type Pool } from '../../base/db.ts'
import { isCommonPin } from '../../base/common-pin.ts'
import { type Tried, tryPin } from '../../base/pin.ts'
import { orNull, withDefault } from '../../base/column-type.ts'
import { execute, list, raw, selectOne, sql } from '../../base/sql.ts'
import { defineTable, insertInto } from '../../base/table.ts'
import { userError } from './errors.ts'
import { findSigned, type Signed } from './session.ts'

/** Digests of PINs under keys of the key ring. */
type PinKeys = {
  readonly pinDigest: (ownerId: string, pin: string) => { keyId: number; digest: Buffer }
  readonly isPin: (ownerId: string, pin: string, keyId: number, digest: Buffer) => boolean
}
export type PinTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: PinKeys }

const userPins = defineTable('user_pins', {
  userId: sql.uuid,
  keyId: sql.smallint,
  digest: sql.bytea,
  wrongInRow: withDefault(sql.smallint),
  wrongInAll: withDefault(sql.smallint),
  lockedUntil: withDefault(orNull(sql.timestamptz)),
  tillWrongInRow: withDefault(sql.smallint),
  tillWrongInAll: withDefault(sql.smallint),
  tillLockedUntil: withDefault(orNull(sql.timestamptz)),
})

/** Sets the PIN of a user who has just confirmed with password or passkey. Resets the counts of wrong PINs. */
export async function setPin({ pool, keyRing }: PinTools, userId: string, pin: string): Promise<void> {
  if (isCommonPin(pin)) throw userError('PIN_TOO_COMMON', { param: 'pin' })
  const { keyId, digest } = keyRing.pinDigest(userId, pin)
  await inTransaction(pool, async (tx) => {
    // End till sessions: the old PIN may have been known to others.
    await execute(tx)`delete from user_sessions where user_id = ${userId} and till_of is not null`
    await execute(tx)`
      ${insertInto(userPins, { userId, keyId, digest })}
      on conflict (user_id) do update set key_id = excluded.key_id, digest = excluded.digest, wrong_in_row = 0,
        wrong_in_all = 0, locked_until = null, till_wrong_in_row = 0, till_wrong_in_all = 0, till_locked_until = null`
  })
}

const passkeyMs = 5 * 60 * 1_000

/**
 * Confirms a sensitive action by PIN, or by a passkey sign-in within the last minutes. A wrong PIN is counted and committed before the
 * response is sent.
 */
export async function confirmAct(tools: PinTools, signed: Signed, pin: string | undefined): Promise<void> {
  if (isFreshPasskey(signed, tools.clock())) return
  if (pin === undefined)
    throw userError(signed.user.isPinSet ? 'CONFIRMATION_MISSING' : 'PIN_NOT_SET', { param: 'pin' })
  await checkPin(tools, signed.user.id, pin, signed.tillOf === null ? 'own' : 'till')
}

/** Whether the session was started with a passkey within the last minutes. */
export function isFreshPasskey({ passkeyAt }: Signed, at: Date): boolean {
  return passkeyAt !== null && at.getTime() - passkeyAt.getTime() < passkeyMs
}

/** The PIN header, for file downloads: a PIN must not appear in a URL. */
export function pinHeaderOf({ headers }: FastifyRequest): string | undefined {
  const pin = headers['scrip-pin']
  return typeof pin === 'string' && /^\d{6}$/.test(pin) ? pin : undefined
}

/** Staff confirm every outflow and every view of a voucher code, which is worth its money. Requests by key need no PIN. */
export async function confirmStaff(tools: PinTools, request: FastifyRequest, pin: string | undefined): Promise<void> {
  const signed = findSigned(request)
  if (signed !== undefined) await confirmAct(tools, signed, pin)
}

/**
 * Wrong PINs are counted separately for signed-in users and for tills, where any staff member can enter them. A cashier can lock a
 * colleague's PIN at the till, but not for the colleague's own session.
 */
type PinCounter = 'own' | 'till'
const counterColumns = {
  own: { inRow: raw('wrong_in_row'), inAll: raw('wrong_in_all'), until: raw('locked_until') },
  till: { inRow: raw('till_wrong_in_row'), inAll: raw('till_wrong_in_all'), until: raw('till_locked_until') },
}

/** Checks the PIN of a user and counts wrong attempts. */
export async function checkPin(tools: PinTools, userId: string, pin: string, counter: PinCounter): Promise<void> {
  const at = tools.clock()
  const { verdict, count } = await countTry(tools, userId, pin, counter, at)
  if (verdict === 'wrong') throw userError('PIN_WRONG', { param: 'pin' })
  if (verdict === 'frozen') throw userError('PIN_FROZEN', { param: 'pin' })
  if (verdict === 'locked') {
    const retryAfterSeconds = Math.ceil(((count.lockedUntil?.getTime() ?? 0) - at.getTime()) / 1_000)
    throw userError('PIN_LOCKED', { param: 'pin', retryAfterSeconds })
  }
}

function countTry(
  { pool, keyRing }: PinTools,
  userId: string,
  pin: string,
  counter: PinCounter,
  at: Date,
): Promise<Tried> {
  const { inRow, inAll, until } = counterColumns[counter]
  const pinColumns = list({
    ...userPins.columns('', 'keyId', 'digest'),
    wrongInRow: sql.smallint`${inRow}`,
    wrongInAll: sql.smallint`${inAll}`,
    lockedUntil: orNull(sql.timestamptz)`${until}`,
  })
  return inTransaction(pool, async (tx) => {
    const known = await selectOne(tx)`
      select ${pinColumns} from user_pins where user_id = ${userId} for no key update`
    if (known === undefined) throw userError('PIN_NOT_SET', { param: 'pin' })
    const tried = tryPin(known, () => keyRing.isPin(userId, pin, known.keyId, known.digest), at)
    const { wrongInRow, wrongInAll, lockedUntil } = tried.count
    await execute(tx)`
      update user_pins set ${inRow} = ${wrongInRow}, ${inAll} = ${wrongInAll}, ${until} = ${lockedUntil}
        where user_id = ${userId}`
    return tried
  })
}
