import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { readCurrencies } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { closed, endpoints, staff } from '../http/endpoint.ts'
import { answer } from '../http/envelope.ts'
import { cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { showCode } from '../voucher/code.ts'
import type { KeyRing } from '../voucher/key-ring.ts'
import { listOwnVouchers, type OwnVoucher } from '../voucher/store.ts'
import { sendCsv, toLine } from './csv.ts'
import { dashboardError } from './errors.ts'
import { findIssued, type IssuedFilter, readLife, readTies } from './issued-store.ts'
import { type Catalogue, say, toWireIssued } from './wire.ts'

export type IssuedTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: KeyRing }

const filters = {
  search: Type.Optional(Type.String({ maxLength: 254 })),
  state: Type.Optional(
    Type.Union(
      (['open', 'used', 'expired', 'frozen', 'blocked', 'cancelled', 'replaced'] as const).map((each) =>
        Type.Literal(each),
      ),
    ),
  ),
}
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const exportPage = 500
const issuedHead = ['created', 'code ends with', 'state', 'currency', 'amount', 'left', 'expires', 'for', 'has a pin']

/** The vouchers that a merchant issued, as its staff see them: without their codes, unless somebody asks for one. */
export function registerIssuedRoutes(server: Server, { pool, clock, keyRing }: IssuedTools): void {
  const api = endpoints(server)

  const findPage = (environmentId: string, filter: IssuedFilter, cursor: string | undefined, limit: number) =>
    withEnvironment(pool, environmentId, (tx) =>
      findIssued(tx, environmentId, filter, readCursor(cursor), limit, clock()),
    )

  api.get('/merchant/issued', staff('accountant'), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    handler: async (request) => {
      const { cursor, limit, ...filter } = request.query
      const { vouchers, next } = await findPage(callerOf(request).environmentId, filter, cursor, limit)
      const catalogue = await readCurrencies(pool)
      return answer('Your vouchers.', {
        vouchers: vouchers.map((one) => toWireIssued(catalogue, one, clock())),
        nextCursor: next,
      })
    },
  })

  api.get('/merchant/issued.csv', staff('accountant'), {
    route: { exposeHeadRoute: false },
    querystring: Type.Object(filters),
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const catalogue = await readCurrencies(pool)
      return sendCsv(reply, 'vouchers.csv', issuedHead, async (cursor) => {
        const { vouchers, next } = await findPage(environmentId, request.query, cursor, exportPage)
        return { lines: vouchers.map((one) => toIssuedLine(catalogue, one, clock())), next }
      })
    },
  })

  api.get('/merchant/issued/:id', staff('accountant'), {
    params: byId,
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const at = clock()
      const catalogue = await readCurrencies(pool)
      const { voucher, ties, life } = await withEnvironment(pool, environmentId, async (tx) => {
        const ids = [request.params.id.toLowerCase()]
        const [found] = await listOwnVouchers(tx, environmentId, { ids }, at)
        if (found === undefined) throw dashboardError('ISSUED_UNKNOWN')
        const [tied, lived] = [await readTies(tx, environmentId, found), await readLife(tx, environmentId, found)]
        return { voucher: found, ties: tied, life: lived }
      })
      const money = (minor: bigint | null): string => (minor === null ? '' : say(catalogue, minor, voucher.currency))
      return answer('The voucher.', {
        voucher: { ...toWireIssued(catalogue, voucher, at), ...ties, replacedBy: voucher.replacedBy ?? '' },
        life: life.map((entry) => ({ ...entry, amount: money(entry.amount), charge: money(entry.charge) })),
      })
    },
  })

  // Asked for by itself, so that who has seen a code is on record. One of a batch is not shown before the batch is handed over.
  api.post('/merchant/issued/:id/code', staff('accountant'), {
    params: byId,
    body: closed({}),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const [voucher] = await withEnvironment(pool, environmentId, (tx) =>
        listOwnVouchers(tx, environmentId, { ids: [request.params.id.toLowerCase()] }, clock()),
      )
      if (voucher === undefined) throw dashboardError('ISSUED_UNKNOWN')
      if (!voucher.isDelivered) throw dashboardError('ISSUED_NOT_HANDED_OVER')
      return answer('The code.', { code: showCode(keyRing.open(voucher.id, voucher)) })
    },
  })
}

function toIssuedLine(catalogue: Catalogue, voucher: OwnVoucher, at: Date): string {
  const { createdAt, codeTail, state, currency, amount, balance, expiresAt, recipient, hasPin } = toWireIssued(
    catalogue,
    voucher,
    at,
  )
  const said = [createdAt.toISOString(), codeTail, state, currency, amount, balance, expiresAt, recipient]
  return toLine([...said, hasPin ? 'yes' : 'no'])
}
