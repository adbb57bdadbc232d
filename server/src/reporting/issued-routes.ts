import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { writeInZone } from '../base/zone.ts'
import { readCurrencies } from '../catalogue/currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import { closed } from '../http/schema.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { continueAt, cursorQuery, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import { findShop } from '../identity/merchant/store.ts'
import { voucherError } from '../vouchers/code/errors.ts'
import type { KeyRing } from '../vouchers/code/key-ring.ts'
import { confirmStaff } from '../identity/user/pin.ts'
import { wirePin } from '../identity/user/routes.ts'
import { findOnchain } from '../vouchers/voucher/onchain-store.ts'
import { findGift, type Gift } from '../vouchers/sale/gift-store.ts'
import { revealCode } from '../vouchers/voucher/reveal-code.ts'
import { listOwnVouchers, type OwnVoucher } from '../vouchers/voucher/store.ts'
import { revealedCode } from '../vouchers/voucher/wire.ts'
import { sendCsv, toLine } from './csv.ts'
import { findIssued, type IssuedFilter, readActivity, readRelations } from './issued-store.ts'
import { type Catalogue, formatMinor, toWireIssued } from './to-wire.ts'
import { issuedState, wireIssuedDetail, wireIssuedPage } from './wire.ts'

export type IssuedTools = { readonly pool: Pool; readonly clock: Clock; readonly keyRing: KeyRing }

const filters = {
  search: Type.Optional(Type.String({ maxLength: 254 })),
  state: Type.Optional(issuedState),
}
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const exportPage = 500
const issuedHead = ['created', 'code ends with', 'state', 'currency', 'amount', 'left', 'expires', 'for', 'has a PIN']

/** A merchant's issued vouchers in the dashboard. Codes are shown one at a time, on request. */
export function registerIssuedRoutes(server: Server, tools: IssuedTools): void {
  const api = endpoints(server)
  const { pool, clock } = tools

  const findPage = (environmentId: string, filter: IssuedFilter, cursor: string | undefined, limit: number) =>
    withEnvironment(pool, environmentId, (tx) =>
      findIssued(tx, environmentId, filter, readCursor(cursor), limit, clock()),
    )

  api.get('/merchant/issued', staff('accountant'), {
    querystring: Type.Object({ ...cursorQuery, ...filters }),
    response: { 200: enveloped(wireIssuedPage) },
    handler: async (request) => {
      const { cursor, limit, ...filter } = request.query
      const { vouchers, next } = await findPage(callerOf(request).environmentId, filter, cursor, limit)
      const catalogue = await readCurrencies(pool)
      const onchain = await findOnchain(
        pool,
        vouchers.flatMap(({ id, isOnchain }) => (isOnchain ? [id] : [])),
      )
      return answer('Your vouchers.', {
        vouchers: vouchers.map((one) => toWireIssued(catalogue, one, clock(), onchain.get(one.id))),
        ...continueAt(next),
      })
    },
  })

  api.get('/merchant/issued.csv', staff('accountant'), {
    route: { exposeHeadRoute: false },
    querystring: Type.Object(filters),
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const catalogue = await readCurrencies(pool)
      const { timeZone } = await findShop(pool, environmentId)
      return sendCsv(reply, 'vouchers.csv', issuedHead, async (cursor) => {
        const { vouchers, next } = await findPage(environmentId, request.query, cursor, exportPage)
        return { lines: vouchers.map((one) => toIssuedLine(catalogue, one, clock(), timeZone)), next }
      })
    },
  })

  api.get('/merchant/issued/:id', staff('accountant'), {
    params: byId,
    response: { 200: enveloped(wireIssuedDetail) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const at = clock()
      const catalogue = await readCurrencies(pool)
      const { voucher, relations, activity, gift } = await withEnvironment(pool, environmentId, async (tx) => {
        const ids = [request.params.id.toLowerCase()]
        const [found] = await listOwnVouchers(tx, environmentId, { ids }, at)
        if (found === undefined) throw voucherError('ISSUED_UNKNOWN')
        const relations = await readRelations(tx, environmentId, found)
        const activity = await readActivity(tx, environmentId, found)
        const gift = found.isStore ? await findGift(tx, environmentId, found.id) : undefined
        return { voucher: found, relations, activity, gift }
      })
      const onchain = (await findOnchain(pool, [voucher.id])).get(voucher.id)
      const money = (minor: bigint | null): string =>
        minor === null ? '' : formatMinor(catalogue, minor, voucher.currency)
      return answer('The voucher.', {
        voucher: {
          ...toWireIssued(catalogue, voucher, at, onchain),
          ...relations,
          replacedBy: voucher.replacedBy ?? '',
          gift: gift === undefined ? null : toWireGift(gift),
        },
        life: activity.map((entry) => ({
          ...entry,
          at: entry.at.toISOString(),
          amount: money(entry.amount),
          charge: money(entry.charge),
        })),
      })
    },
  })

  api.post('/merchant/issued/:id/code', staff('accountant'), {
    params: byId,
    body: closed({ pin: Type.Optional(wirePin) }),
    response: { 200: enveloped(revealedCode) },
    handler: async (request) => {
      await confirmStaff(tools, request, request.body.pin)
      return answer('The code.', await revealCode(tools, callerOf(request).environmentId, request.params.id))
    },
  })
}

function toWireGift({ email, sender, message, sendAt, sentAt, sends }: Gift) {
  return { email, sender, message, sends, sendAt: sendAt.toISOString(), sentAt: sentAt?.toISOString() ?? '' }
}

function toIssuedLine(catalogue: Catalogue, voucher: OwnVoucher, at: Date, timeZone: string): string {
  const { codeTail, state, currency, amount, balance, expiresAt, recipient, hasPin } = toWireIssued(
    catalogue,
    voucher,
    at,
  )
  const expires = expiresAt === '' ? '' : writeInZone(new Date(expiresAt), timeZone)
  const cells = [
    writeInZone(voucher.createdAt, timeZone),
    codeTail,
    state,
    currency,
    amount,
    balance,
    expires,
    recipient,
  ]
  return toLine([...cells, hasPin ? 'yes' : 'no'])
}
