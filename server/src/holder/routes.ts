import Type, { type Static } from 'typebox'
import { formatMoney } from '../base/money.ts'
import { type Live, streamChanges } from '../event/live.ts'
import { closed, endpoints } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { sendStream } from '../http/event-stream.ts'
import { networkOf } from '../http/limit.ts'
import type { Server } from '../http/server.ts'
import { readCode, showCode } from '../voucher/code.ts'
import { isExpired, lastDayOf } from '../voucher/expiry.ts'
import type { GuessLimit } from '../voucher/guess-limit.ts'
import { type HistoryEntry, readHistory } from '../voucher/history-store.ts'
import { type Held, type HolderTools, lookUpVoucher } from './look-up.ts'

const kinds = ['issued', 'redeemed', 'refunded', 'expired', 'reopened'] as const
const kindOf: Partial<Record<HistoryEntry['kind'], (typeof kinds)[number]>> = {
  redemption: 'redeemed',
  refund: 'refunded',
  expiry: 'expired',
  reopening: 'reopened',
}

const historyEntry = Type.Object({
  id: Type.String(),
  kind: Type.Union(kinds.map((kind) => Type.Literal(kind))),
  amount: Type.String({ description: 'What came onto the voucher or left it, charges included' }),
  charge: Type.String({ description: 'Which part of it was charges; empty if none' }),
  at: Type.String({ format: 'date-time' }),
  place: Type.String(),
})

// Amounts as digits: a browser would read a number into a float.
const heldVoucher = Type.Object({
  mode: Type.String(),
  code: Type.String(),
  merchantCode: Type.String(),
  amount: Type.String(),
  balance: Type.String(),
  currency: Type.Object({ abbreviation: Type.String(), symbol: Type.String(), name: Type.String() }),
  issuer: Type.String(),
  platform: Type.String(),
  issuedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String(),
  lastDay: Type.String({ description: 'On which it can be used, where its issuer is' }),
  isExpired: Type.Boolean(),
  expiredTo: Type.String({ description: 'payer or unclaimed: where what is left goes then' }),
  hasPin: Type.Boolean(),
  usableAt: Type.Array(Type.String(), { description: 'Names of merchants. None: everywhere' }),
  history: Type.Array(historyEntry),
})

type Tools = HolderTools & { readonly limitGuesses: GuessLimit; readonly platformName: string; readonly live: Live }

const asked = {
  code: Type.String({ minLength: 1, maxLength: 64 }),
  merchantCode: Type.Optional(Type.String({ maxLength: 16 })),
  lockPin: Type.Optional(Type.String({ pattern: '^[0-9]{4}$' })),
}
const ask = closed(asked)
type Ask = Static<typeof ask>
// The newest entry of the history that the page shows.
const askLive = closed({ ...asked, seen: Type.Optional(Type.String({ format: 'uuid' })) })

export function registerHolderRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server)
  const lookUp = async (body: Ask, ip: string) => {
    const { lockPin } = body
    const merchantCode = body.merchantCode?.toUpperCase()
    const code = readCode(body.code, 'code')
    const held = await tools.limitGuesses(networkOf(ip), () => lookUpVoucher(tools, { code, merchantCode, lockPin }))
    return { held, code, merchantCode }
  }

  // A request with a body, although a browser's own way to listen has none: the code stands in no address.
  api.post('/holder/voucher/live', 'none', {
    body: askLive,
    handler: async (request, reply) => {
      const { voucher } = (await lookUp(request.body, request.ip)).held
      const newestId = async () => (await readHistory(tools.pool, voucher.id, 1))[0]?.id ?? voucher.id
      const hasChanged = async () => request.body.seen !== undefined && (await newestId()) !== request.body.seen
      const audience = { name: 'holder', objectId: voucher.id } as const
      return sendStream(request, reply, audience, (signal) => streamChanges(tools.live, voucher.id, signal, hasChanged))
    },
  })

  api.post('/holder/voucher', 'none', {
    body: ask,
    response: { 200: enveloped(heldVoucher) },
    handler: async (request) => {
      const { held, code, merchantCode } = await lookUp(request.body, request.ip)
      const about = { code: showCode(code.symbols), merchantCode: merchantCode ?? '', platform: tools.platformName }
      return answer('Your voucher.', { ...about, ...toHeldVoucher(held, tools.clock()) })
    },
  })
}

function toHeldVoucher({ voucher, currency, issuer, places, history }: Held, at: Date) {
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  const issued = { id: voucher.id, kind: 'issued' as const, charge: '', at: voucher.createdAt, place: issuer.name }
  const entries = history.flatMap(({ id, kind, amount, charge, createdAt: at, merchantName }) => {
    const shown = kindOf[kind]
    // What ends a voucher has no holder to tell.
    if (shown === undefined) return []
    // It expires nowhere, and is redeemed somewhere.
    const place = kind === 'redemption' || kind === 'refund' ? merchantName : ''
    return [{ id, kind: shown, amount: money(amount + charge), charge: charge > 0n ? money(charge) : '', at, place }]
  })
  return {
    mode: voucher.mode,
    amount: money(voucher.amount),
    balance: money(voucher.available),
    currency: { abbreviation: currency.code, symbol: currency.symbol, name: currency.name },
    issuer: issuer.name,
    issuedAt: voucher.createdAt.toISOString(),
    expiresAt: voucher.expiresAt?.toISOString() ?? '',
    lastDay: voucher.expiresAt === null ? '' : lastDayOf(voucher.expiresAt, issuer.timeZone),
    isExpired: isExpired(voucher, at),
    hasPin: voucher.hasPin,
    usableAt: places,
    expiredTo: voucher.expiredTo,
    history: [...entries, { ...issued, amount: money(voucher.amount) }].map((entry) => ({
      ...entry,
      at: entry.at.toISOString(),
    })),
  }
}
