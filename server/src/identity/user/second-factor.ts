import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db.ts'
import { executeOne } from '../../base/sql.ts'
import type { CreateLimit, Verdict } from '../../http/limit.ts'
import type { Mode } from '../../base/mode.ts'
import type { LoadAuth } from './load-auth.ts'
import { userError } from './errors.ts'
import { confirmAct, isFreshPasskey, type PinTools } from './pin.ts'
import { type Signed, signedOf } from './session.ts'
import type { User } from './store.ts'

/** Whether the session was started with more than a password: a one-time code or a passkey. */
export function hasSecondFactor({ user, passkeyAt }: Signed): boolean {
  return user.hasTwoFactor || passkeyAt !== null
}

/** Whether the user must have a second factor: operators and owners of live shops. Until then they can only set one up. */
export async function mustHaveSecondFactor(db: Db, { id, isOperator }: User, at: Date): Promise<boolean> {
  return (
    isOperator ||
    executeOne(db)`
      select where exists (
        select from merchant_members m
          where m.user_id = ${id} and m.role = 'owner' and is_live_merchant(m.merchant_id, ${at}))`
  )
}

/** Throws unless a one-time or recovery code is right. Attempts are counted per account, before they are compared. */
export type CheckCode = (
  loadAuth: LoadAuth,
  request: FastifyRequest,
  signed: Signed,
  given: SecondFactor,
) => Promise<void>
type SecondFactor = { readonly oneTimeCode?: string | undefined; readonly recoveryCode?: string | undefined }

/** For attempts to sign in or to confirm. */
export function refuseTries({ isWithin, secondsLeft }: Verdict): void {
  if (!isWithin) throw userError('TOO_MANY_TRIES', { retryAfterSeconds: secondsLeft })
}

const triesMax = 10
const quarterMs = 15 * 60_000

export function createCheckCode(createLimit: CreateLimit): CheckCode {
  const tries = createLimit('one-time-code', triesMax, quarterMs)
  return async (loadAuth, request, { user }, { oneTimeCode, recoveryCode }) => {
    if (recoveryCode === undefined && oneTimeCode === undefined)
      throw userError('SECOND_FACTOR_MISSING', { param: 'oneTimeCode' })
    if (!user.hasTwoFactor) throw userError('SECOND_FACTOR_NOT_SET', { param: 'oneTimeCode' })
    refuseTries(await tries.count(user.id))
    const headers = new Headers({ cookie: request.headers.cookie ?? '' })
    const isRecovery = recoveryCode !== undefined
    const { api } = await loadAuth()
    const checked = isRecovery
      ? api.verifyBackupCode({ body: { code: recoveryCode }, headers })
      : api.verifyTOTP({ body: { code: oneTimeCode ?? '' }, headers })
    await checked.catch((error: unknown) => {
      throw userError('ONE_TIME_CODE_WRONG', { param: isRecovery ? 'recoveryCode' : 'oneTimeCode' }, error)
    })
  }
}

type Confirmation = { readonly pin?: string | undefined; readonly oneTimeCode?: string | undefined }
export type ConfirmOwner = (request: FastifyRequest, mode: Mode | 'both', given: Confirmation) => Promise<void>

/**
 * Changes to limits, roles and keys require the owner's second factor: a passkey sign-in within the last minutes, or a one-time code.
 * In test mode the PIN is enough.
 */
export function createConfirmOwner(
  tools: PinTools & { readonly clock: Clock; readonly staff: LoadAuth; readonly checkCode: CheckCode },
): ConfirmOwner {
  return async (request, mode, { pin, oneTimeCode }) => {
    const signed = signedOf(request)
    if (mode === 'test') return confirmAct(tools, signed, pin)
    if (isFreshPasskey(signed, tools.clock())) return
    await tools.checkCode(tools.staff, request, signed, { oneTimeCode })
  }
}
