import type { FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { inTransaction, type Pool } from '../base/db.ts'
import { type PinCount, tryPin } from '../base/pin.ts'
import { execute, selectOne } from '../base/sql.ts'
import { userError } from './errors.ts'
import { findSigned, type Signed } from './session.ts'

/** Digests of pins under keys of the ring. */
type PinKeys = {
  readonly pinDigest: (ownerId: string, pin: string) => { keyId: number; digest: Buffer }
  readonly isPin: (ownerId: string, pin: string, keyId: number, digest: Buffer) => boolean
}
export type PinTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: PinKeys }

/** Whoever sets a pin has just shown by his password or a passkey who he is. Wrong guesses at the old one are forgotten. */
export async function setPin({ pool, keyRing }: PinTools, userId: string, pin: string): Promise<void> {
  const { keyId, digest } = keyRing.pinDigest(userId, pin)
  await inTransaction(pool, async (tx) => {
    // Whoever knew the old one may stand at a till by it.
    await execute(tx)`delete from user_sessions where user_id = ${userId} and till_of is not null`
    await execute(tx)`
    insert into user_pins (user_id, key_id, digest) values (${userId}, ${keyId}, ${digest})
      on conflict (user_id) do update set key_id = excluded.key_id, digest = excluded.digest, wrong_in_row = 0,
        wrong_in_all = 0, locked_until = null`
  })
}

const passkeyMs = 5 * 60 * 1_000

/**
 * A sensitive act is confirmed by a pin, or by a passkey that the session was begun with a moment ago. A wrong pin is counted and
 * committed before anybody is told anything.
 */
export async function confirmAct(tools: PinTools, signed: Signed, pin: string | undefined): Promise<void> {
  if (isFreshPasskey(signed, tools.clock())) return
  if (pin === undefined)
    throw userError(signed.person.isPinSet ? 'CONFIRMATION_MISSING' : 'PIN_NOT_SET', { param: 'pin' })
  await checkPin(tools, signed.person.id, pin)
}

/** Whether the session was begun with a passkey a moment ago. */
export function isFreshPasskey({ passkeyAt }: Signed, at: Date): boolean {
  return passkeyAt !== null && at.getTime() - passkeyAt.getTime() < passkeyMs
}

/** Staff confirm every outflow. What a key requests needs no PIN. */
export async function confirmStaff(tools: PinTools, request: FastifyRequest, pin: string | undefined): Promise<void> {
  const signed = findSigned(request)
  if (signed !== undefined) await confirmAct(tools, signed, pin)
}

/** The same, of whoever claims to be somebody by his pin alone. */
export async function checkPin(tools: PinTools, userId: string, pin: string): Promise<void> {
  const at = tools.clock()
  const { verdict, count } = await countTry(tools, userId, pin, at)
  if (verdict === 'wrong') throw userError('PIN_WRONG', { param: 'pin' })
  if (verdict === 'frozen') throw userError('PIN_FROZEN', { param: 'pin' })
  if (verdict === 'locked') {
    const retryAfterSeconds = Math.ceil(((count.lockedUntil?.getTime() ?? 0) - at.getTime()) / 1_000)
    throw userError('PIN_LOCKED', { param: 'pin', retryAfterSeconds })
  }
}

function countTry({ pool, keyRing }: PinTools, userId: string, pin: string, at: Date) {
  return inTransaction(pool, async (tx) => {
    const known = await selectOne<PinCount & { keyId: number; digest: Buffer }>(tx)`
      select key_id as "keyId", digest, wrong_in_row as "wrongInRow", wrong_in_all as "wrongInAll",
        locked_until as "lockedUntil" from user_pins where user_id = ${userId} for no key update`
    if (known === undefined) throw userError('PIN_NOT_SET', { param: 'pin' })
    const tried = tryPin(known, () => keyRing.isPin(userId, pin, known.keyId, known.digest), at)
    const { wrongInRow, wrongInAll, lockedUntil } = tried.count
    await execute(tx)`
      update user_pins set wrong_in_row = ${wrongInRow}, wrong_in_all = ${wrongInAll}, locked_until = ${lockedUntil}
        where user_id = ${userId}`
    return tried
  })
}
