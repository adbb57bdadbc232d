import type { FastifyRequest } from 'fastify'
import type { Mode } from '../base/mode.ts'
import type { Role } from './role.ts'

export type { Role } from './role.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The credentials that an endpoint requires. Every endpoint sets them, or the server does not start. `public` and `secret` accept
     * API keys and signed-in staff of the merchant; `user`, `wallet`, `member` and `operator` accept sessions only.
     */
    credentials?: 'public' | 'secret' | 'none' | 'user' | 'wallet' | 'member' | 'operator'
    /** The staff roles that may call it besides the owner. Every endpoint for keys sets them, or the server does not start. */
    roles?: readonly Exclude<Role, 'owner'>[]
    /** Not rate-limited: for health checks. */
    isUnlimited?: boolean
    /** For test keys only. */
    isSandbox?: boolean
    /** The response shows voucher codes, so each read is recorded in the audit log. */
    showsCodes?: boolean
    /** Fields of the body that the audit log names besides the parameters of the address. Never secrets. */
    namedInActs?: readonly string[]
    /** The endpoint returns {success, message}; its errors carry success: false beside the envelope. */
    errorsTellSuccess?: boolean
  }
}

/** The merchant that calls, from keys or a session. All its actions are limited to its environment. */
export type MerchantCaller = {
  readonly merchantId: string
  readonly environmentId: string
  readonly mode: Mode
  /** The id of the key, or of the staff member. */
  readonly keyId: string
  /** All keys sent with the request. */
  readonly keyIds?: readonly string[]
  readonly hasSecret: boolean
  /** The staff member who calls. Absent for keys. */
  readonly memberId?: string
  /** The staff member's role. */
  readonly role?: Role
}

/** The environment's owner, and the staff member who acts for it, if any. */
export type Owner = Pick<MerchantCaller, 'merchantId' | 'environmentId' | 'mode' | 'memberId'>

/** The merchant that stands for the platform itself. */
export type FindPlatformMerchant = (mode: Mode) => Promise<Owner>

const callers = new WeakMap<FastifyRequest, MerchantCaller>()

export function setCaller(request: FastifyRequest, caller: MerchantCaller): void {
  callers.set(request, caller)
}

/** The calling merchant, if the request has one. */
export function findCaller(request: FastifyRequest): MerchantCaller | undefined {
  return callers.get(request)
}

type RefusedKey = Pick<MerchantCaller, 'environmentId' | 'keyId'>
const refusedKeys = new WeakMap<FastifyRequest, RefusedKey>()

/** Remembers the public key of a request that is refused for other credentials, for the merchant's request log. */
export function setRefusedKey(request: FastifyRequest, key: RefusedKey): void {
  refusedKeys.set(request, key)
}

/** The public key of a refused request. It authenticates nobody. */
export function findRefusedKey(request: FastifyRequest): RefusedKey | undefined {
  return refusedKeys.get(request)
}

/** The calling merchant. Only for endpoints that require credentials, which always have one. */
export function callerOf(request: FastifyRequest): MerchantCaller {
  const caller = findCaller(request)
  if (caller === undefined) throw new Error('callerOf was called in an endpoint without credentials.')
  return caller
}

/** The client's Idempotency-Key header, if it is set. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}
