import Type, { type Static } from 'typebox'
import { formatMoney } from '../../base/money.ts'
import { type Live, streamChanges } from '../../messaging/event/live.ts'
import { endpoints } from '../../http/endpoint.ts'
import { closed, type Wire } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { refuseIfFull, sendStream } from '../../http/event-stream.ts'
import { networkOf } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { toWireShop } from '../../identity/merchant/to-wire.ts'
import { readCode, showCode } from '../code/code.ts'
import { isExpired, lastDayOf } from '../voucher/expiry.ts'
import type { GuessLimit } from '../code/guess-limit.ts'
import { type HistoryEntry, readHistory } from '../voucher/history-store.ts'
import { toShownOnchain, toShownPayout } from '../voucher/onchain-page.ts'
import { type HeldVoucher, type HolderTools, findVoucherByCode, readHeldVoucher } from './find-voucher.ts'
import { type WireHeldVoucher, wireHeldVoucher, type WireHistoryEntry } from './wire.ts'

const kindOf: Partial<Record<HistoryEntry['kind'], WireHistoryEntry['kind']>> = {
  redemption: 'redeemed',
  refund: 'refunded',
  expiry: 'expired',
  reopening: 'reopened',
  return: 'returned',
  reload: 'reloaded',
  void: 'undone',
}

type Tools = HolderTools & { readonly limitGuesses: GuessLimit; readonly platformName: string; readonly live: Live }

export const holderFields = {
  code: Type.String({ minLength: 1, maxLength: 64 }),
  merchantCode: Type.Optional(Type.String({ maxLength: 16 })),
  lockPin: Type.Optional(Type.String({ pattern: '^[0-9]{4}$' })),
}
const input = closed(holderFields)
type Input = Static<typeof input>
// `seen` is the id of the newest history entry that the page shows.
const liveInput = closed({ ...holderFields, seen: Type.Optional(Type.String({ format: 'uuid' })) })

export function registerHolderRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server)
  const lookUp = async (body: Input, ip: string) => {
    const { lockPin } = body
    const merchantCode = body.merchantCode?.toUpperCase()
    const code = readCode(body.code, 'code')
    const voucher = await tools.limitGuesses(networkOf(ip), () =>
      findVoucherByCode(tools, { code, merchantCode, lockPin }),
    )
    return { voucher, code, merchantCode }
  }

  // POST with a body instead of EventSource, so that the code does not appear in a URL.
  api.post('/holder/voucher/live', 'none', {
    body: liveInput,
    handler: async (request, reply) => {
      refuseIfFull(request, 'holder')
      const { voucher } = await lookUp(request.body, request.ip)
      const newestId = async () => (await readHistory(tools.pool, voucher.id, 1))[0]?.id ?? voucher.id
      const hasChanged = async () => request.body.seen !== undefined && (await newestId()) !== request.body.seen
      const audience = { name: 'holder', objectId: voucher.id } as const
      return sendStream(request, reply, audience, (signal) => streamChanges(tools.live, voucher.id, signal, hasChanged))
    },
  })

  api.post('/holder/voucher', 'none', {
    body: input,
    response: { 200: enveloped(wireHeldVoucher) },
    handler: async (request) => {
      const { voucher, code, merchantCode } = await lookUp(request.body, request.ip)
      const held = await readHeldVoucher(tools, voucher)
      const about = { code: showCode(code.symbols), merchantCode: merchantCode ?? '', platform: tools.platformName }
      return answer('Your voucher.', { ...about, ...toHeldVoucher(held, tools.clock()) })
    },
  })
}

function toHeldVoucher(held: HeldVoucher, at: Date): Omit<Wire<WireHeldVoucher>, 'code' | 'merchantCode' | 'platform'> {
  const { voucher, currency, issuer, places, history, onchain, sent, payoutOptions } = held
  const money = (minor: bigint): string => formatMoney({ minor, currency })
  const made = { id: voucher.id, kind: 'issued' as const, charge: '', payout: null }
  const issued = { ...made, at: voucher.createdAt, place: issuer.name }
  const entries = history.flatMap(({ id, kind, amount, charge, createdAt: at, merchantName }) => {
    const shown = kindOf[kind]
    // Cancellations and the like are not shown to holders.
    if (shown === undefined) return []
    // Only redemptions and refunds happen at a merchant.
    const place = kind === 'redemption' || kind === 'refund' ? merchantName : ''
    const payment = sent.find((each) => each.id === id)
    const payout = payment === undefined ? null : toShownPayout(payment)
    const amounts = { amount: money(amount + charge), charge: charge > 0n ? money(charge) : '' }
    return [{ id, kind: shown, ...amounts, at, place, payout }]
  })
  return {
    mode: voucher.mode,
    amount: money(voucher.amount),
    balance: money(voucher.available),
    currency: { abbreviation: currency.code, symbol: currency.symbol, name: currency.name },
    issuer: issuer.name,
    shop: toWireShop(issuer),
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
    onchain: toShownOnchain(voucher.isOnchain, onchain, currency),
    payoutOptions,
  }
}
