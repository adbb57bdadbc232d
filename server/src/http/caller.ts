import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller must show. Every endpoint says so, or the server does not start. */
    credentials?: 'public' | 'secret' | 'none'
    /** For machines that watch us. */
    isUnlimited?: boolean
    /** For test keys alone. */
    isSandbox?: boolean
    /** The interface answers {success, message} here; its errors carry success: false beside the envelope. */
    errorsTellSuccess?: boolean
  }
}

/** Who asks, as the keys say. Everything a merchant may do is done for its environment. */
export type MerchantCaller = {
  readonly merchantId: string
  readonly environmentId: string
  readonly mode: 'live' | 'test'
  readonly keyId: string
  readonly hasSecret: boolean
}

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
