import Type, { type Static } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { readCurrencies } from '../currency/store.ts'
import { type Live, streamChanges } from '../event/live.ts'
import { callerOf, type MerchantCaller } from '../http/caller.ts'
import { anyRole, endpoints, staff } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { sendStream } from '../http/event-stream.ts'
import { cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { findBook } from '../ledger/book.ts'
import { listMembers } from '../merchant/members.ts'
import { receiptTypes } from '../transaction/mail-receipt.ts'
import { signedOf } from '../user/session.ts'
import { listAttention } from './attention.ts'
import { readBalances } from './balances.ts'
import { sendCsv, toLine } from './csv.ts'
import { readDays, readLastWeek, readRange } from './days.ts'
import { dashboardError } from './errors.ts'
import { type Figure, sumByKind, sumDays } from './figures.ts'
import { findRedeemedOf, listJournals, listTied, listTold } from './payment.ts'
import { findPayments, type PaymentFilter, type PaymentRow } from './payments-store.ts'
import { readSearch } from './search.ts'
import { type Catalogue, say, toWirePayment } from './wire.ts'

export type DashboardTools = { readonly pool: Pool; readonly clock: Clock; readonly live: Live }

const daysShown = 30
const day = Type.String({ format: 'date', pattern: '^[12]' })
const filters = {
  search: Type.Optional(Type.String({ maxLength: 254 })),
  type: Type.Optional(Type.String({ maxLength: 40 })),
  status: Type.Optional(Type.String({ maxLength: 40 })),
  currency: Type.Optional(Type.String({ maxLength: 12 })),
  cashier: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Literal('api')])),
  from: Type.Optional(day),
  until: Type.Optional(day),
}
const filterQuery = Type.Object(filters)
type Filters = Static<typeof filterQuery>

/** What a merchant's staff see of its money. What they do with it they do by the endpoints that keys open. */
export function registerDashboardRoutes(server: Server, { pool, clock, live }: DashboardTools): void {
  const api = endpoints(server)

  /** What is asked for, as the store knows it. Nothing: there can be none. */
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

  api.get('/merchant/home', staff('accountant', 'developer'), async (request) => {
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
    const told = (one: Figure) => toWireFigure(catalogue, one)
    return answer('How it stands.', {
      today,
      balances: await readBalances(pool, caller, catalogue, at),
      days: figures.map((one) => ({ day: one.span, ...told(one) })),
      sinceMidnight: figures.filter(({ span }) => span === today).map(told),
      lastWeek: before.map(told),
      attention,
    })
  })

  api.get('/merchant/payments', staff('accountant', 'developer'), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    handler: async (request) => {
      const { cursor, limit, ...query } = request.query
      const { payments, next } = await findPage(callerOf(request), query, cursor, limit)
      const catalogue = await readCurrencies(pool)
      return answer('Your payments.', {
        payments: payments.map((one) => toWirePayment(catalogue, one)),
        nextCursor: next,
      })
    },
  })

  api.get('/merchant/payments.csv', staff('accountant', 'developer'), {
    route: { exposeHeadRoute: false },
    querystring: filterQuery,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      const catalogue = await readCurrencies(pool)
      return sendCsv(reply, 'payments.csv', paymentHead, async (cursor) => {
        const { payments, next } = await findPage(caller, request.query, cursor, exportPage)
        return { lines: payments.map((one) => toPaymentLine(catalogue, one)), next }
      })
    },
  })

  api.get('/merchant/payments/:reference', staff('accountant', 'developer'), {
    params: Type.Object({ reference: Type.String({ minLength: 1, maxLength: 200 }) }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { reference } = request.params
      const catalogue = await readCurrencies(pool)
      const found = await withEnvironment(pool, environmentId, async (tx) => {
        const range = await readRange(tx, callerOf(request).merchantId, {})
        const { payments } = await findPayments(tx, environmentId, range, { oneOf: [{ reference }] }, 1)
        const [payment] = payments
        if (payment === undefined) throw dashboardError('PAYMENT_UNKNOWN')
        return {
          payment,
          redeemed: await findRedeemedOf(tx, payment),
          tied: await listTied(tx, environmentId, payment),
          journals: await listJournals(tx, environmentId, payment),
          events: await listTold(tx, environmentId, payment),
        }
      })
      // Who may give back may send receipts too; whoever reads only does neither.
      const mayAct = callerOf(request).role !== 'developer'
      return answer('The payment.', toWireDetail(catalogue, found, mayAct))
    },
  })

  api.get('/merchant/members/names', staff('accountant', 'developer'), async (request) => {
    const members = await listMembers(pool, callerOf(request).merchantId)
    return answer('Your staff.', { members: members.map(({ id, name }) => ({ id, name })) })
  })

  // For fetch: a browser's own way to listen sends no header.
  api.get('/merchant/stream', staff(...anyRole), {
    route: { exposeHeadRoute: false },
    handler: (request, reply) => {
      const { environmentId } = callerOf(request)
      const audience = { name: 'dashboard', listenerId: signedOf(request).person.id, objectId: environmentId } as const
      return sendStream(request, reply, audience, (signal) => streamChanges(live, environmentId, signal))
    },
  })
}

function toWireFigure(catalogue: Catalogue, { type: kind, currency, count, amount }: Figure) {
  return { kind, currency, count, amount: say(catalogue, amount, currency) }
}

const exportPage = 1_000
const paymentHead = [
  ...['created', 'settled', 'reference', 'type', 'status', 'direction', 'currency', 'amount', 'charged', 'refunded'],
  ...['moved', 'by', 'person', 'code ends with', 'metadata'],
]

function toPaymentLine(catalogue: Catalogue, payment: PaymentRow): string {
  const { createdAt, settledAt, reference, type, status, direction, currency, ...told } = toWirePayment(
    catalogue,
    payment,
  )
  return toLine([
    ...[createdAt.toISOString(), settledAt, reference, type, status, direction, currency],
    ...[told.amount, told.charged, told.refunded, told.moved],
    ...[told.by, told.person, told.codeTail, payment.metadata],
  ])
}

type Found = {
  readonly payment: PaymentRow
  readonly redeemed: Awaited<ReturnType<typeof findRedeemedOf>>
  readonly tied: Awaited<ReturnType<typeof listTied>>
  readonly journals: Awaited<ReturnType<typeof listJournals>>
  readonly events: Awaited<ReturnType<typeof listTold>>
}

function toWireDetail(catalogue: Catalogue, { payment, redeemed, tied, journals, events }: Found, mayAct: boolean) {
  const { currency, type, status, metadata, userId } = payment
  const money = (minor: bigint): string => say(catalogue, minor, currency)
  const left = payment.amount - payment.refunded
  // The refund itself decides: what went into a wallet is the person's own.
  const isOurs = type === 'PAYMENT_REQUEST' || (type === 'VOUCHER_REDEMPTION' && userId === null)
  const original = tied.find(({ id }) => id === payment.refundOf)
  return {
    payment: {
      ...toWirePayment(catalogue, payment),
      metadata,
      refundable: mayAct && isOurs && status === 'COMPLETED' && left > 0n ? money(left) : '',
      canMailReceipt: mayAct && receiptTypes.includes(type),
    },
    price: redeemed === undefined ? null : toWirePrice(catalogue, currency, redeemed),
    voucher:
      redeemed === undefined
        ? null
        : { id: redeemed.voucherId, codeTail: payment.codeTail ?? '', isOwn: redeemed.isOwn },
    refundOf: original === undefined ? null : { reference: original.reference, amount: money(original.amount) },
    refunds: tied
      .filter(({ id }) => id !== payment.refundOf)
      .map(({ reference, amount, createdAt, by, reason }) => ({
        reference,
        amount: money(amount),
        createdAt,
        by,
        reason,
      })),
    journals: journals.map(({ transfers, ...journal }) => ({
      ...journal,
      transfers: transfers.map((each) => ({ ...each, amount: say(catalogue, each.amount, each.currency) })),
    })),
    events,
  }
}

function toWirePrice(
  catalogue: Catalogue,
  currency: string,
  { amount, charge, chargedTo, to }: NonNullable<Found['redeemed']>,
) {
  const received = to ?? { amount, currency }
  return {
    charge: say(catalogue, charge, currency),
    chargedTo,
    received: say(catalogue, received.amount, received.currency),
    receivedCurrency: received.currency,
  }
}
