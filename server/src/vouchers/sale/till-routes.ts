import { withEnvironment } from '../../base/environment.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { type GuessLimit, guesserOf } from '../code/guess-limit.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { toWireVoucher, type WireTools } from '../voucher/to-wire.ts'
import { findOwnVoucher } from './find-own-voucher.ts'
import { findUndoable } from './store.ts'
import { toWireSale } from './to-wire.ts'
import { voucherCode, wireStoreVoucher } from './wire.ts'

export type TillTools = Pick<IssueTools, 'pool' | 'keyRing'> & WireTools & { readonly limitGuesses: GuessLimit }

/** What a till can do with a scanned voucher of the shop: also with a card that was not sold yet. For our own pages. */
export function registerTillLookUp(on: Server, tools: TillTools): void {
  const api = endpoints(on)
  const { pool } = tools

  api.post('/merchant/till/store-voucher', staff('cashier', 'accountant'), {
    body: closed({ voucherCode }),
    response: { 200: enveloped(wireStoreVoucher) },
    handler: async (request) => {
      const caller = callerOf(request)
      const find = () => findOwnVoucher(tools, caller, request.body.voucherCode)
      const voucher = await tools.limitGuesses(guesserOf(request) ?? '', find)
      const currency = await findCurrency(pool, voucher.currency, 'any')
      const sale = await withEnvironment(pool, caller.environmentId, (tx) => findUndoable(tx, voucher))
      return answer('The voucher.', {
        voucher: toWireVoucher(voucher, '', currency, tools, undefined),
        undoable: sale === undefined ? null : toWireSale(sale, currency),
      })
    },
  })
}
