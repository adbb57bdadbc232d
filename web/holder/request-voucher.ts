import type { WireHeldVoucher, WirePayoutQuote, WirePayoutSent } from '../../server/src/vouchers/holder/wire.ts'
import type { Read } from '../../server/src/http/schema.ts'
import { shortDecimal } from '../ui/decimal.ts'
import type { Answer } from '../ui/send-request.ts'
import type { VoucherAddress } from '../ui/voucher-address.ts'

export type Voucher = Read<WireHeldVoucher>
export type HistoryEntry = Voucher['history'][number]
/** A redemption that pays on a network. */
export type Payout = NonNullable<HistoryEntry['payout']>
/** Where the value of an onchain voucher is. */
export type Onchain = NonNullable<Voucher['onchain']>
/** A currency on a network. */
export type PayoutOption = Voucher['payoutOptions'][number]
/** The price of a redemption to an address. */
export type PayoutQuote = Read<WirePayoutQuote>
export type PayoutSent = Read<WirePayoutSent>

/** The code is the server's, or UNREACHABLE, BROKEN or TOO_MANY if the server sent no usable error. */
export type Failure = { readonly code: string; readonly message: string; readonly until: Date | null }
export type VoucherResponse =
  | { readonly kind: 'voucher'; readonly voucher: Voucher }
  | { readonly kind: 'failure'; readonly failure: Failure }

type ErrorBody = { readonly message?: string; readonly error?: { readonly code?: string; readonly until?: string } }

const timeoutMs = 20_000

/** Sends the code in the body, never in the URL, which servers and proxies log. */
export function postAddress(
  path: string,
  { code, merchantCode }: VoucherAddress,
  lockPin: string,
  signal: AbortSignal,
  more: object = {},
  key = '',
): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== '' && { 'idempotency-key': key }) },
    body: JSON.stringify({ code, ...(merchantCode && { merchantCode }), ...(lockPin && { lockPin }), ...more }),
    cache: 'no-store',
    credentials: 'omit',
    signal,
  })
}

/** Returns null if `signal` aborts the request. */
export async function fetchVoucher(
  { code, merchantCode }: VoucherAddress,
  lockPin: string,
  signal: AbortSignal,
): Promise<VoucherResponse | null> {
  const request = new AbortController()
  const stop = () => request.abort()
  signal.addEventListener('abort', stop)
  const timer = setTimeout(stop, timeoutMs)
  try {
    return await readResponse(await postAddress('/holder/voucher', { code, merchantCode }, lockPin, request.signal))
  } catch {
    return signal.aborted ? null : fail('UNREACHABLE')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** The server refuses with these codes before it acts. After any other 5xx it may have acted. */
const sureCodes = /^(RATE|GAS|CHAIN|EXCHANGE)_/

/** Asks for a price, or redeems. With a key the server acts once, however often the request is sent. */
export async function actOnVoucher<Data>(
  path: string,
  address: VoucherAddress,
  lockPin: string,
  more: object,
  key?: string,
): Promise<Answer<Data>> {
  try {
    const response = await postAddress(path, address, lockPin, AbortSignal.timeout(timeoutMs), more, key)
    const { data, message = '', error } = (await response.json()) as ErrorBody & { readonly data: Data }
    if (response.ok) return { data }
    const code = error?.code ?? 'UNREACHABLE'
    return { refusal: { code: response.status < 500 || sureCodes.test(code) ? code : 'UNREACHABLE', message } }
  } catch {
    return { refusal: { code: 'UNREACHABLE', message: '' } }
  }
}

async function readResponse(response: Response): Promise<VoucherResponse> {
  // A proxy may send an HTML page instead of JSON.
  const body: unknown = await response.json().catch(() => null)
  if (response.ok && isObject(body) && isObject(body['data']))
    return { kind: 'voucher', voucher: shorten(body['data'] as Voucher) }
  if (response.status === 429) return fail('TOO_MANY', { until: afterSeconds(response.headers.get('retry-after')) })
  if (response.ok || response.status >= 500) return fail('BROKEN')
  const { message = '', error }: ErrorBody = isObject(body) ? body : {}
  return fail(error?.code ?? 'BROKEN', { message, until: error?.until === undefined ? null : new Date(error.until) })
}

/** Crypto amounts come with 18 decimals. */
function shorten(voucher: Voucher): Voucher {
  const { amount, balance, history } = voucher
  return {
    ...voucher,
    amount: shortDecimal(amount),
    balance: shortDecimal(balance),
    history: history.map((entry) => ({
      ...entry,
      amount: shortDecimal(entry.amount),
      charge: shortDecimal(entry.charge),
    })),
  }
}

function fail(code: string, { message = '', until = null }: Partial<Failure> = {}): VoucherResponse {
  return { kind: 'failure', failure: { code, message, until } }
}

function afterSeconds(header: string | null): Date {
  const seconds = header !== null && /^\d+$/.test(header) ? Number(header) : 60
  return new Date(Date.now() + seconds * 1000)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
