import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a caller must show. Every endpoint says so, or the server does not start. Keys open what is public or secret, and so does a
     * member of the merchant's staff who has signed in; person, wallet, member and operator are for who has signed in only.
     */
    credentials?: 'public' | 'secret' | 'none' | 'person' | 'wallet' | 'member' | 'operator'
    /** Which members may, apart from the owner. What keys open names them, or the server does not start. */
    roles?: readonly Exclude<Role, 'owner'>[]
    /** For machines that watch us. */
    isUnlimited?: boolean
    /** For test keys alone. */
    isSandbox?: boolean
    /** The interface answers {success, message} here; its errors carry success: false beside the envelope. */
    errorsTellSuccess?: boolean
  }
}

/** What somebody is to a merchant. */
export type Role = 'owner' | 'developer' | 'cashier' | 'accountant'

/** Who asks, as keys or a session say. Everything a merchant may do is done for its environment. */
export type MerchantCaller = {
  readonly merchantId: string
  readonly environmentId: string
  readonly mode: 'live' | 'test'
  /** Of the key; or of the member, if that is who asks. */
  readonly keyId: string
  readonly hasSecret: boolean
  /** Who of the staff asks. None: a key does. */
  readonly memberId?: string
  /** What he is here. */
  readonly role?: Role
}

/** Whose environment it is, and who of the staff acts for it, if one does. */
export type Owner = Pick<MerchantCaller, 'merchantId' | 'environmentId' | 'mode' | 'memberId'>

const callers = new WeakMap<FastifyRequest, MerchantCaller>()

export function setCaller(request: FastifyRequest, caller: MerchantCaller): void {
  callers.set(request, caller)
}

/** Who asks. Only an endpoint that needs credentials may call it, and there it is always known. */
export function callerOf(request: FastifyRequest): MerchantCaller {
  const caller = callers.get(request)
  if (caller === undefined) throw new Error('An endpoint without credentials asked who calls.')
  return caller
}

/** What a caller calls this request, so that a repeat of it can be told. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}
