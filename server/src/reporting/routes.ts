import Type, { type Static } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { writeInZone } from '../base/zone.ts'
import { readCurrencies } from '../catalogue/currency/store.ts'
import { type Live, streamChanges } from '../messaging/event/live.ts'
import type { EndWithCredential } from '../messaging/event/revocation.ts'
import { callerOf, type MerchantCaller } from '../http/caller.ts'
import { anyRole, endpoints, staff } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { sendStream } from '../http/event-stream.ts'
import { continueAt, cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { findBook } from '../ledger/book.ts'
import { listMembers } from '../identity/merchant/members.ts'
import { findShop } from '../identity/merchant/store.ts'
import { receiptTypes } from '../payments/transaction/mail-receipt.ts'
import { signedOf } from '../identity/user/session.ts'
import { toShownPayout } from '../vouchers/voucher/onchain-page.ts'
import { listAttention } from './attention.ts'
import { readBalances } from './balances.ts'
import { sendCsv, toLine } from './csv.ts'
import { readDays, readLastWeek, readRange } from './days.ts'
import { dashboardError } from './errors.ts'
import { type Figure, sumByKind, sumDays } from './figures.ts'
import {
  type EventWithDeliveries,
  findRedeemedOf,
  listDeliveries,
  listJournals,
  listRelated,
  type RedeemedPayment,
  type RelatedPayment,
  type ShownJournal,
} from './payment.ts'
import { findPayments, type PaymentFilter, type PaymentRow } from './payments-store.ts'
import { readSearch } from './search.ts'
import { type Catalogue, formatMinor, toWireJournal, toWirePayment, toWirePaymentEvent } from './to-wire.ts'
import {
  type WireFigure,
  wireHome,
  wireMemberNames,
  type WirePaymentDetail,
  wirePaymentDetail,
  wirePayments,
  type WirePrice,
} from './wire.ts'

export type DashboardTools = {
  readonly pool: Pool
  readonly clock: Clock
  readonly live: Live
  readonly endWithCredential: EndWithCredential
}

// Twice what the chart shows: it compares with as many days before.
const daysShown = 60
const day = Type.String({ format: 'date', pattern: '^[12]' })
/** Those of a list of one type. */
const payoutFilters = {
  search: Type.Optional(Type.String({ maxLength: 254 })),
  status: Type.Optional(Type.String({ maxLength: 40 })),
  currency: Type.Optional(Type.String({ maxLength: 12 })),
  cashier: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Literal('api')])),
  from: Type.Optional(day),
  until: Type.Optional(day),
}
const filters = { ...payoutFilters, type: Type.Optional(Type.String({ maxLength: 40 })) }
const filterQuery = Type.Object(filters)
type Filters = Static<typeof filterQuery>

/** The read-only endpoints of the dashboard. Staff act through the same endpoints as API keys. */
export function registerDashboardRoutes(server: Server, tools: DashboardTools): void {
  const { pool, clock, live, endWithCredential } = tools
  const api = endpoints(server)

  /** The filter for the store. Undefined if nothing can match. */
  async function readFilter({ mode }: MerchantCaller, query: Filters): Promise<PaymentFilter | undefined> {
    const { type, status, cashier: member, search = '' } = query
    const currency = query.currency?.toUpperCase()
    const bookId = currency === undefined ? undefined : await findBook(pool, mode, currency)
    if (currency !== undefined && bookId === undefined) return undefined
    const oneOf = search.trim() === '' ? undefined : await readSearch(pool, mode, search)
    return { type, status, bookId, member, oneOf }
  }

  async function findPage(caller: MerchantCaller, query: Filters, cursor: string | undefined, limit: number) {
    const filter = await readFilter(caller, query)
    if (filter === undefined) return { payments: [], next: '' }
    const range = await readRange(pool, caller.merchantId, query)
    const below = [range.below, readCursor(cursor)].toSorted()[0] ?? ''
    return withEnvironment(pool, caller.environmentId, (tx) =>
      findPayments(tx, caller.environmentId, { ...range, below }, filter, limit),
    )
  }

  api.get('/merchant/home', staff('accountant', 'developer'), {
    response: { 200: enveloped(wireHome) },
    handler: async (request) => {
      const caller = callerOf(request)
      const at = clock()
      const catalogue = await readCurrencies(pool)
      const days = await readDays(pool, caller.merchantId, at, daysShown)
      const lastWeek = await readLastWeek(pool, caller.merchantId, at)
      const today = days.at(-1)?.name ?? ''
      const { figures, before, attention } = await withEnvironment(pool, caller.environmentId, async (tx) => ({
        figures: await sumDays(tx, caller.environmentId, days, at),
        before: await sumByKind(tx, caller.environmentId, [lastWeek]),
        attention: await listAttention(tx, caller.environmentId),
      }))
      const toWire = (one: Figure) => toWireFigure(catalogue, one)
      return answer('The overview.', {
        today,
        balances: await readBalances(pool, caller, catalogue, at),
        days: figures.map((one) => ({ day: one.span, ...toWire(one) })),
        sinceMidnight: figures.filter(({ span }) => span === today).map(toWire),
        lastWeek: before.map(toWire),
        attention,
      })
    },
  })

  api.get('/merchant/payments', staff('accountant', 'developer'), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    response: { 200: enveloped(wirePayments) },
    handler: async (request) => {
      const { cursor, limit, ...query } = request.query
      const { payments, next } = await findPage(callerOf(request), query, cursor, limit)
      const catalogue = await readCurrencies(pool)
      return answer('Your payments.', {
        payments: payments.map((one) => toWirePayment(catalogue, one)),
        ...continueAt(next),
      })
    },
  })

  api.get('/merchant/payouts', staff('accountant'), {
    querystring: Type.Object({ ...cursorQuery, ...payoutFilters }),
    response: { 200: enveloped(wirePayments) },
    handler: async (request) => {
      const { cursor, limit, ...query } = request.query
      const { payments, next } = await findPage(callerOf(request), { ...query, type: 'PAYOUT' }, cursor, limit)
      const catalogue = await readCurrencies(pool)
      return answer('Your payouts.', {
        payments: payments.map((one) => toWirePayment(catalogue, one)),
        ...continueAt(next),
      })
    },
  })

  api.get('/merchant/payments.csv', staff('accountant', 'developer'), {
    route: { exposeHeadRoute: false },
    querystring: filterQuery,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      const catalogue = await readCurrencies(pool)
      const { timeZone } = await findShop(pool, caller.environmentId)
      return sendCsv(reply, 'payments.csv', paymentHead, async (cursor) => {
        const { payments, next } = await findPage(caller, request.query, cursor, exportPage)
        return { lines: payments.map((one) => toPaymentLine(catalogue, one, timeZone)), next }
      })
    },
  })

  api.get('/merchant/payments/:reference', staff('accountant', 'developer'), {
    params: Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: { 200: enveloped(wirePaymentDetail) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { reference } = request.params
      const catalogue = await readCurrencies(pool)
      const found = await withEnvironment(pool, environmentId, async (tx) => {
        const range = await readRange(tx, callerOf(request).merchantId, {})
        const { payments } = await findPayments(tx, environmentId, range, { oneOf: [{ reference }] }, 1)
        const [payment] = payments
        if (payment === undefined) throw dashboardError('PAYMENT_UNKNOWN')
        const related = await listRelated(tx, environmentId, payment)
        const refunds = related.filter(({ id }) => id !== payment.refundOf)
        return {
          payment,
          redeemed: await findRedeemedOf(tx, payment),
          related,
          journals: await listJournals(tx, environmentId, payment, refunds),
          events: await listDeliveries(tx, environmentId, payment),
        }
      })
      // Developers can only read: no refunds, no receipts.
      const mayAct = callerOf(request).role !== 'developer'
      return answer('The payment.', toWireDetail(catalogue, found, mayAct))
    },
  })

  api.get('/merchant/members/names', staff('accountant', 'developer'), {
    response: { 200: enveloped(wireMemberNames) },
    handler: async (request) => {
      const members = await listMembers(pool, callerOf(request).merchantId)
      return answer('Your staff.', { members: members.map(({ id, name }) => ({ id, name })) })
    },
  })

  // Clients use fetch, since EventSource sends no headers.
  api.get('/merchant/stream', staff(...anyRole), {
    route: { exposeHeadRoute: false },
    handler: (request, reply) => {
      const { environmentId } = callerOf(request)
      const audience = { name: 'dashboard', listenerId: signedOf(request).user.id, objectId: environmentId } as const
      const source = (signal: AbortSignal) => streamChanges(live, environmentId, signal)
      return sendStream(request, reply, audience, endWithCredential(request, source))
    },
  })
}

function toWireFigure(catalogue: Catalogue, { type: kind, currency, count, amount }: Figure): WireFigure {
  return { kind, currency, count, amount: formatMinor(catalogue, amount, currency) }
}

const exportPage = 1_000
const paymentHead = [
  ...['created', 'settled', 'reference', 'type', 'status', 'direction', 'currency', 'amount', 'charged', 'refunded'],
  ...['fee', 'net', 'moved', 'by', 'person', 'code ends with', 'metadata', 'status reason'],
]

function toPaymentLine(catalogue: Catalogue, payment: PaymentRow, timeZone: string): string {
  const { settledAt, reference, type, status, direction, currency, ...rest } = toWirePayment(catalogue, payment)
  return toLine([
    writeInZone(payment.createdAt, timeZone),
    settledAt === '' ? '' : writeInZone(new Date(settledAt), timeZone),
    ...[reference, type, status, direction, currency],
    ...[rest.amount, rest.charged, rest.refunded, rest.fee, rest.net, rest.moved],
    ...[rest.by, rest.person, rest.codeTail, payment.metadata, rest.statusReason],
  ])
}

type PaymentDetail = {
  readonly payment: PaymentRow
  readonly redeemed: RedeemedPayment | undefined
  readonly related: readonly RelatedPayment[]
  readonly journals: readonly ShownJournal[]
  readonly events: readonly EventWithDeliveries[]
}

function toWireDetail(
  catalogue: Catalogue,
  { payment, redeemed, related, journals, events }: PaymentDetail,
  mayAct: boolean,
): WirePaymentDetail {
  const { currency, type, status, metadata, userId } = payment
  const money = (minor: bigint): string => formatMinor(catalogue, minor, currency)
  const left = payment.amount - payment.refunded
  // For display only: the refund endpoint decides. A voucher redeemed into a wallet or to an address cannot be refunded.
  const isPaidOut = userId !== null || (redeemed?.sent !== undefined && !redeemed.sent.isTreasury)
  const isRefundable = type === 'PAYMENT_REQUEST' || (type === 'VOUCHER_REDEMPTION' && !isPaidOut)
  const original = related.find(({ id }) => id === payment.refundOf)
  return {
    payment: {
      ...toWirePayment(catalogue, payment),
      metadata,
      refundable: mayAct && isRefundable && status === 'COMPLETED' && left > 0n ? money(left) : '',
      // Nothing was paid until the network of an onchain voucher has confirmed it.
      canMailReceipt: mayAct && receiptTypes.includes(type) && status !== 'PROCESSING' && status !== 'FAILED',
    },
    price: redeemed === undefined ? null : toWirePrice(catalogue, currency, redeemed),
    voucher:
      redeemed === undefined
        ? null
        : { id: redeemed.voucherId, codeTail: payment.codeTail ?? '', isOwn: redeemed.isOwn },
    payout: redeemed?.sent === undefined ? null : toShownPayout(redeemed.sent),
    refundOf: original === undefined ? null : { reference: original.reference, amount: money(original.amount) },
    refunds: related
      .filter(({ id }) => id !== payment.refundOf)
      .map(({ reference, amount, createdAt, by, reason }) => ({
        reference,
        amount: money(amount),
        createdAt: createdAt.toISOString(),
        by,
        reason,
      })),
    journals: journals.map((each) => toWireJournal(catalogue, each)),
    events: events.map(toWirePaymentEvent),
  }
}

function toWirePrice(
  catalogue: Catalogue,
  currency: string,
  { amount, charge, chargedTo, to }: RedeemedPayment,
): WirePrice {
  const received = to ?? { amount, currency }
  return {
    charge: formatMinor(catalogue, charge, currency),
    chargedTo,
    received: formatMinor(catalogue, received.amount, received.currency),
    receivedCurrency: received.currency,
  }
}
