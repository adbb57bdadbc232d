import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { execute } from '../base/sql.ts'
import { readCurrencies } from '../catalogue/currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { closed } from '../http/schema.ts'
import { acknowledge, answer, enveloped } from '../http/envelope.ts'
import { continueAt, cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { merchantError } from '../identity/merchant/errors.ts'
import { listMembers, tillRoles } from '../identity/merchant/members.ts'
import type { LoadAuth } from '../identity/user/load-auth.ts'
import type { TransactionType } from '../payments/transaction/wire.ts'
import { checkPin, type PinTools } from '../identity/user/pin.ts'
import { wirePin } from '../identity/user/routes.ts'
import { signedOf } from '../identity/user/session.ts'
import { readDays, readRange } from './days.ts'
import { type CashierFigure, type SalesTotal, sumByCashier, sumSales } from './figures.ts'
import { findPayments } from './payments-store.ts'
import { type Catalogue, formatMinor, toWirePayment } from './to-wire.ts'
import { type WireCashierCount, wireDayCount, type WireSalesTotal, wireTill, wireTillSales } from './wire.ts'

export type TillTools = PinTools & { readonly auth: LoadAuth }

/** The endpoints of the till, apart from redemption. */
export function registerTillRoutes(server: Server, tools: TillTools): void {
  const api = endpoints(server)
  const { pool, clock } = tools

  const listCashiers = async (merchantId: string) =>
    (await listMembers(pool, merchantId)).filter(({ role, isActive }) => isActive && tillRoles.includes(role))

  api.get('/merchant/till', staff('cashier'), {
    response: { 200: enveloped(wireTill) },
    handler: async (request) => {
      const { merchantId, memberId = '' } = callerOf(request)
      const cashiers = (await listCashiers(merchantId)).map(({ id, name, isPinSet }) => ({ id, name, isPinSet }))
      return answer('The cashiers of this till.', { cashiers, me: memberId })
    },
  })

  api.post('/merchant/till/switch', staff('cashier'), {
    body: closed({ memberId: Type.String({ format: 'uuid' }), pin: wirePin }),
    handler: async (request, reply) => {
      const { merchantId } = callerOf(request)
      const { memberId, pin } = request.body
      const member = (await listCashiers(merchantId)).find(({ id }) => id === memberId.toLowerCase())
      if (member === undefined) throw merchantError('MEMBER_NOT_FOUND')
      await checkPin(tools, member.id, pin, 'till')
      const { api: signIn } = await tools.auth()
      const { headers } = await signIn.beginTill({
        body: { userId: member.id, tillOf: merchantId },
        headers: new Headers({ 'x-scrip-address': request.ip, 'user-agent': request.headers['user-agent'] ?? '' }),
        returnHeaders: true,
      })
      // Ends the previous session: an owner who hands the till to a cashier must sign in again.
      await execute(pool)`delete from user_sessions where id = ${signedOf(request).sessionId}`
      reply.header('Set-Cookie', headers.getSetCookie())
      return acknowledge('Switched to this cashier.')
    },
  })

  api.get('/merchant/day-count', staff('cashier', 'accountant'), {
    querystring: Type.Object({ day: Type.Optional(Type.String({ format: 'date', pattern: '^[12]' })) }),
    response: { 200: enveloped(wireDayCount) },
    handler: async (request) => {
      const { environmentId, merchantId, role, memberId } = callerOf(request)
      const today = (await readDays(pool, merchantId, clock(), 1))[0]?.name ?? ''
      const { day = today } = request.query
      const range = await readRange(pool, merchantId, { from: day, until: day })
      // Cashiers see their own totals only.
      const only = role === 'cashier' ? memberId : undefined
      const figures = await withEnvironment(pool, environmentId, (tx) =>
        sumByCashier(tx, environmentId, { ...range, name: day }, only),
      )
      return answer('The day.', { day, today, cashiers: toWireCashiers(await readCurrencies(pool), figures) })
    },
  })

  api.get('/merchant/till/sales', staff('cashier'), {
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wireTillSales) },
    handler: async (request) => {
      const { environmentId, merchantId, memberId = '' } = callerOf(request)
      const { cursor, limit } = request.query
      const [today] = await readDays(pool, merchantId, clock(), 1)
      const from = today?.from ?? ''
      const { payments, next, totals } = await withEnvironment(pool, environmentId, async (tx) => ({
        totals: await sumSales(tx, environmentId, memberId, from),
        ...(await findPayments(
          tx,
          environmentId,
          { from, below: readCursor(cursor) },
          { member: memberId, isSale: true },
          limit,
        )),
      }))
      const catalogue = await readCurrencies(pool)
      return answer('Your sales of today.', {
        payments: payments.map((one) => toWirePayment(catalogue, one)),
        totals: totals.map((total) => toWireSalesTotal(catalogue, total)),
        ...continueAt(next),
      })
    },
  })
}

function toWireSalesTotal(catalogue: Catalogue, { currency, count, amount, refunded }: SalesTotal): WireSalesTotal {
  const money = (minor: bigint): string => formatMinor(catalogue, minor, currency)
  return { currency, count, amount: money(amount), refunded: money(refunded) }
}

function toWireCashiers(catalogue: Catalogue, figures: readonly CashierFigure[]): WireCashierCount[] {
  const cashiers = Map.groupBy(figures, ({ memberId }) => memberId ?? '')
  return [...cashiers].map(([id, own]) => ({
    id,
    name: own[0]?.name ?? '',
    rows: [...Map.groupBy(own, ({ currency }) => currency)].map(([currency, rows]) => {
      const sum = (type: TransactionType) => {
        const { count = 0, amount = 0n } = rows.find((row) => row.type === type) ?? {}
        return { count, amount: formatMinor(catalogue, amount, currency) }
      }
      const charges = rows.reduce((all, row) => (row.type === 'VOUCHER_REDEMPTION' ? all + row.charges : all), 0n)
      return {
        currency,
        redeemed: sum('VOUCHER_REDEMPTION'),
        charges: formatMinor(catalogue, charges, currency),
        refunded: sum('REFUND'),
        issued: sum('VOUCHER_PURCHASE'),
      }
    }),
  }))
}
