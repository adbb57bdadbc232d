import Type from 'typebox'
import type { Pool } from '../base/db.ts'
import { withEnvironment } from '../base/environment.ts'
import { findCurrency } from '../catalogue/currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { endpoints, staff } from '../http/endpoint.ts'
import type { Server } from '../http/server.ts'
import { payoutBatchError } from '../payments/payout-batch/errors.ts'
import { findBatch, listRows } from '../payments/payout-batch/store.ts'
import { toWirePayoutRow } from '../payments/payout-batch/to-wire.ts'
import { sendCsv, toLine } from './csv.ts'

const exportPage = 1_000
const head = ['line', 'recipient', 'name', 'amount', 'currency', 'reference', 'note', 'result', 'reason']

/** The result of a payout file, as a file with a line for each row. */
export function registerPayoutResults(server: Server, { pool }: { readonly pool: Pool }): void {
  endpoints(server).get('/merchant/payout-batches/:id/results.csv', staff('accountant'), {
    route: { exposeHeadRoute: false },
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const batch = await withEnvironment(pool, environmentId, (tx) =>
        findBatch(tx, environmentId, request.params.id.toLowerCase()),
      )
      if (batch === undefined) throw payoutBatchError('PAYOUT_BATCH_NOT_FOUND')
      const currency = await findCurrency(pool, batch.currency, 'any')
      return sendCsv(reply, 'payouts.csv', head, async (cursor) => {
        const rows = await withEnvironment(pool, environmentId, (tx) =>
          listRows(tx, batch, undefined, cursor, exportPage),
        )
        const lines = rows.map((row) => {
          const { line, recipient, name, amount, referenceId, note, status, reason } = toWirePayoutRow(row, currency)
          return toLine([String(line), recipient, name, amount, currency.code, referenceId, note, status, reason])
        })
        return { lines, next: rows.length < exportPage ? '' : (rows.at(-1)?.id ?? '') }
      })
    },
  })
}
