import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { findCurrency, pickCurrency, readCurrencies } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { confirmStaff, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import type { OutflowTools } from '../outflow/request.ts'
import { answerPending } from '../outflow/to-wire.ts'
import { pendingResponse } from '../outflow/wire.ts'
import { takeReference } from '../transaction/reference.ts'
import { wireReference } from '../transaction/wire.ts'
import { payoutBatchError } from './errors.ts'
import { findBatch, listBatches, listRows, type PayoutBatch } from './store.ts'
import { submitPayouts } from './submit-payouts.ts'
import { toWireCheck, toWirePayoutBatch, toWirePayoutRow } from './to-wire.ts'
import { rowStatuses, wirePayoutBatch, wirePayoutBatches, wirePayoutFile, wirePayoutRows } from './wire.ts'

const path = '/merchant-integrations-server/payout-batches'
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
const fileBytesMax = 2 * 1024 * 1024

type Tools = OutflowTools & PinTools & { readonly countUserLookups: CountUserLookups }

export function registerPayoutBatchRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Transactions, payouts, balance'])
  const { pool, newId } = tools

  async function findOwn(environmentId: string, id: string): Promise<PayoutBatch> {
    const batch = await withEnvironment(pool, environmentId, (tx) => findBatch(tx, environmentId, id))
    if (batch === undefined) throw payoutBatchError('PAYOUT_BATCH_NOT_FOUND')
    return batch
  }

  api.post(path, secretKey('accountant'), {
    route: { bodyLimit: fileBytesMax },
    operationId: 'create-payout-batch',
    summary: 'Pay out a file',
    headers: idempotencyHeader,
    description:
      'Pays up to 5,000 users. Without confirmation the file is only checked, and every row that cannot be paid is explained. Send it again with the confirmation of that check to pay the other rows. The file is one outflow: its total counts towards your limits, and it can wait for approval. Then its total leaves your balance and a worker pays row by row; get the batch to see its progress. What cannot be paid returns to your balance.',
    body: closed({
      csv: Type.String({
        minLength: 1,
        maxLength: fileBytesMax,
        description:
          'Its first line names the columns: recipient and amount, and optionally currency, reference and note',
      }),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      confirmation: Type.Optional(Type.String({ maxLength: 64 })),
      referenceId: Type.Optional(wireReference),
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wirePayoutFile), pendingResponse]) },
    handler: async (request, reply) => {
      const { csv, confirmation, referenceId, currency, pin } = request.body
      // Without a confirmation the file is only checked, so no PIN is needed.
      if (confirmation !== undefined) await confirmStaff(tools, request, pin)
      const reference = takeReference(request, reply, referenceId, newId)
      const file = { csv, confirmation, currency: currency.toUpperCase(), reference }
      const submitted = await submitPayouts(tools, callerOf(request), file, (identifier) =>
        tools.countUserLookups(request, identifier),
      )
      if ('check' in submitted)
        return answer('Nothing was paid yet.', { check: toWireCheck(submitted.check, await readCurrencies(pool)) })
      const { batch } = submitted
      if ('pending' in submitted) {
        markReplayed(reply, submitted.pending)
        return answerPending(submitted.pending, reference, batch.total, submitted.currency)
      }
      markReplayed(reply, submitted)
      const paidIn = await findCurrency(pool, batch.currency, 'any')
      return answer('The rows are being paid.', { batch: toWirePayoutBatch(batch, paidIn) })
    },
  })

  api.get(path, secretKey('accountant'), {
    operationId: 'list-payout-batches',
    summary: 'List payout files',
    description: 'Newest first.',
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wirePayoutBatches) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listBatches(tx, environmentId, readCursor(cursor), limit + 1),
      )
      const { page, continuation } = cutPage(found, limit)
      const catalogue = await readCurrencies(pool)
      const batches = page.map((batch) => toWirePayoutBatch(batch, pickCurrency(catalogue, batch.currency, 'any')))
      return answer('Your payout files.', { batches, ...continuation })
    },
  })

  api.get(`${path}/:id`, secretKey('accountant'), {
    operationId: 'fetch-payout-batch',
    summary: 'Get a payout file',
    description: 'Shows how many of its rows were paid.',
    params: byId,
    response: { 200: enveloped(wirePayoutBatch) },
    handler: async (request) => {
      const batch = await findOwn(callerOf(request).environmentId, request.params.id.toLowerCase())
      return answer('The payout file.', toWirePayoutBatch(batch, await findCurrency(pool, batch.currency, 'any')))
    },
  })

  api.get(`${path}/:id/rows`, secretKey('accountant'), {
    operationId: 'list-payout-rows',
    summary: 'List the rows of a payout file',
    description: 'In the order of the file, each with its result.',
    params: byId,
    querystring: Type.Object({
      ...cursorQuery,
      status: Type.Optional(Type.Enum(rowStatuses, { title: 'PayoutRowStatus' })),
    }),
    response: { 200: enveloped(wirePayoutRows) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit, status } = request.query
      const batch = await findOwn(environmentId, request.params.id.toLowerCase())
      const found = await withEnvironment(pool, environmentId, (tx) => listRows(tx, batch, status, cursor, limit + 1))
      const { page, continuation } = cutPage(found, limit)
      const currency = await findCurrency(pool, batch.currency, 'any')
      return answer('The rows.', { rows: page.map((row) => toWirePayoutRow(row, currency)), ...continuation })
    },
  })
}
