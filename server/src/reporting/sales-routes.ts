import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { timeOfId } from '../base/id.ts'
import { pickCurrency, readCurrencies } from '../catalogue/currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import type { Server } from '../http/server.ts'
import { listShifts } from '../vouchers/register/shift-store.ts'
import { toWireShift } from '../vouchers/register/to-wire.ts'
import { readDays, readRange } from './days.ts'
import { countTenders, type TenderCount } from './sales-report.ts'
import { type Catalogue, formatMinor } from './to-wire.ts'
import { type WireTenderCount, wireSalesReport } from './wire.ts'

type Tools = { readonly pool: Pool; readonly clock: Clock }

/** The daily report of sold vouchers: tenders by cashier and shift, and the drawers. */
export function registerSalesReport(server: Server, { pool, clock }: Tools): void {
  const api = endpoints(server)

  api.get('/merchant/sales-report', staff('cashier', 'accountant'), {
    querystring: Type.Object({ day: Type.Optional(Type.String({ format: 'date', pattern: '^[12]' })) }),
    response: { 200: enveloped(wireSalesReport) },
    handler: async (request) => {
      const { environmentId, merchantId, role, memberId } = callerOf(request)
      const today = (await readDays(pool, merchantId, clock(), 1))[0]?.name ?? ''
      const { day = today } = request.query
      const range = await readRange(pool, merchantId, { from: day, until: day })
      const [starts, ends] = [timeOfId(range.from), timeOfId(range.below)]
      // Cashiers see their own totals only.
      const only = role === 'cashier' ? memberId : undefined
      const { counts, shifts } = await withEnvironment(pool, environmentId, async (tx) => ({
        counts: await countTenders(tx, environmentId, range, only),
        shifts: await listShifts(tx, environmentId, starts, ends),
      }))
      const catalogue = await readCurrencies(pool)
      const seen = shifts.filter(({ openedBy, closedBy }) => only === undefined || [openedBy, closedBy].includes(only))
      return answer('Sold vouchers of the day.', {
        day,
        today,
        tenders: counts.map((count) => toWireCount(catalogue, count)),
        shifts: seen.map((shift) => toWireShift(shift, pickCurrency(catalogue, shift.currency, 'any'))),
      })
    },
  })
}

function toWireCount(catalogue: Catalogue, count: TenderCount): WireTenderCount {
  const { shiftId, cashier, tender, currency, sold, value, taken, paidBack, given } = count
  const money = (minor: bigint): string => formatMinor(catalogue, minor, currency)
  return {
    ...{ cashier, tender, currency, sold, paidBack },
    shiftId: shiftId ?? '',
    value: money(value),
    taken: money(taken),
    given: money(given),
  }
}
