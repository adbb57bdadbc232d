import type { Currency } from '../ui/amount.tsx'
import type { VoucherAddress } from '../ui/voucher-address.ts'

export type HistoryEntry = {
  readonly id: string
  readonly kind: 'redeemed' | 'refunded' | 'expired' | 'reopened' | 'issued'
  /** What came onto the voucher or left it, charges included. */
  readonly amount: string
  /** How much of it was charges; empty if nothing. */
  readonly charge: string
  readonly at: string
  readonly place: string
}

export type Voucher = {
  readonly mode: 'test' | 'live'
  readonly code: string
  readonly merchantCode: string
  readonly amount: string
  readonly balance: string
  readonly currency: Currency
  readonly issuer: string
  readonly platform: string
  readonly issuedAt: string
  readonly expiresAt: string
  /** On which it can be used, where its issuer is, such as 2031-12-31; empty where it does not expire. */
  readonly lastDay: string
  readonly isExpired: boolean
  readonly expiredTo: 'payer' | 'unclaimed'
  readonly hasPin: boolean
  readonly usableAt: readonly string[]
  readonly history: readonly HistoryEntry[]
}

/** Why there is no voucher to show. The code is the server's, or one of ours when it did not answer as it should. */
export type Failure = { readonly code: string; readonly message: string; readonly until: Date | null }
export type Answer =
  | { readonly kind: 'voucher'; readonly voucher: Voucher }
  | { readonly kind: 'failure'; readonly failure: Failure }

type ErrorBody = { readonly message?: string; readonly error?: { readonly code?: string; readonly until?: string } }

const patienceMs = 20_000

/** Every request that carries the code does so in its body. */
export function postAddress(
  path: string,
  { code, merchantCode }: VoucherAddress,
  lockPin: string,
  signal: AbortSignal,
  more: object = {},
): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, ...(merchantCode && { merchantCode }), ...(lockPin && { lockPin }), ...more }),
    cache: 'no-store',
    credentials: 'omit',
    signal,
  })
}

/** Answers null when it was called off. */
export async function askVoucher(
  { code, merchantCode }: VoucherAddress,
  lockPin: string,
  calledOff: AbortSignal,
): Promise<Answer | null> {
  const ended = new AbortController()
  const stop = () => ended.abort()
  calledOff.addEventListener('abort', stop)
  const patience = setTimeout(stop, patienceMs)
  try {
    return await readAnswer(await postAddress('/holder/voucher', { code, merchantCode }, lockPin, ended.signal))
  } catch {
    return calledOff.aborted ? null : fail('UNREACHABLE')
  } finally {
    clearTimeout(patience)
    calledOff.removeEventListener('abort', stop)
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  // A proxy in between may answer with a page of its own.
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && isObject(body) && isObject(body['data']))
    return { kind: 'voucher', voucher: body['data'] as Voucher }
  if (response.status === 429) return fail('TOO_MANY', { until: afterSeconds(response.headers.get('retry-after')) })
  if (response.ok || response.status >= 500) return fail('BROKEN')
  const { message = '', error }: ErrorBody = isObject(body) ? body : {}
  return fail(error?.code ?? 'BROKEN', { message, until: error?.until === undefined ? null : new Date(error.until) })
}

function fail(code: string, { message = '', until = null }: Partial<Failure> = {}): Answer {
  return { kind: 'failure', failure: { code, message, until } }
}

function afterSeconds(header: string | null): Date {
  const seconds = header !== null && /^\d+$/.test(header) ? Number(header) : 60
  return new Date(Date.now() + seconds * 1000)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
