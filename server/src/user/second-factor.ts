import type { FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import type { Mode } from '../ledger/book.ts'
import type { Auth } from './auth.ts'
import { userError } from './errors.ts'
import { confirmAct, isFreshPasskey, type PinTools } from './pin.ts'
import { type Signed, signedOf } from './session.ts'

type Confirmation = { readonly pin?: string | undefined; readonly oneTimeCode?: string | undefined }
export type ConfirmOwner = (request: FastifyRequest, mode: Mode | 'both', given: Confirmation) => Promise<void>

/**
 * Changes to limits, roles and keys need the owner's second factor: a passkey that the session was begun with a moment ago, or a
 * one-time code. Where only test mode is concerned the PIN is enough.
 */
export function createConfirmOwner(tools: PinTools & { readonly clock: Clock; readonly staff: Auth }): ConfirmOwner {
  return async (request, mode, { pin, oneTimeCode }) => {
    const signed = signedOf(request)
    if (mode === 'test') return confirmAct(tools, signed, pin)
    if (isFreshPasskey(signed, tools.clock())) return
    if (oneTimeCode === undefined) throw userError('SECOND_FACTOR_MISSING', { param: 'oneTimeCode' })
    await checkOneTimeCode(tools.staff, request, signed, oneTimeCode)
  }
}

async function checkOneTimeCode(staff: Auth, request: FastifyRequest, signed: Signed, code: string): Promise<void> {
  if (!signed.person.hasTwoFactor) throw userError('SECOND_FACTOR_NOT_SET', { param: 'oneTimeCode' })
  const headers = new Headers({ cookie: request.headers.cookie ?? '' })
  await staff.api.verifyTOTP({ body: { code }, headers }).catch((error: unknown) => {
    throw userError('ONE_TIME_CODE_WRONG', { param: 'oneTimeCode' }, error)
  })
}
