import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { withEnvironment } from '../base/environment.ts'
import { findCurrency } from '../currency/store.ts'
import { callerOf } from '../http/caller.ts'
import { answers, closed, endpoints, secretKey } from '../http/endpoint.ts'
import { answer, enveloped } from '../http/envelope.ts'
import { digitsOf, wireAmount } from '../http/exact-json.ts'
import { cursorQuery, nextCursorOf, readCursor } from '../http/pages.ts'
import type { Server } from '../http/server.ts'
import type { Printer } from '../print/printer.ts'
import { answerPending, pendingResponse } from '../outflow/wire.ts'
import { takeReference, tellReplayed } from '../transaction/reference.ts'
import { confirmStaff, type PinTools } from '../user/pin.ts'
import { wirePin } from '../user/routes.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { issueTerms } from '../voucher/wire.ts'
import { batchError } from './errors.ts'
import { exportBatch, type ExportTools, toCsv, toSheetFacts } from './export.ts'
import { importVouchers } from './import-vouchers.ts'
import { createBatch, type PaidBatch } from './pay-batch.ts'
import { type Batch, countIssued, findBatch, listBatches } from './store.ts'
import { toWireBatch, toWireTrial, wireBatch, wireTrial } from './wire.ts'

const path = '/merchant-integrations-server/voucher-batches'
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
type WaitingBatch = Extract<PaidBatch, { pending: unknown }>

const importBytesMax = 2 * 1024 * 1024

type Tools = IssueTools & ExportTools & PinTools & { readonly printer: Printer }

export function registerBatchRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Vouchers by the thousand'])
  const { pool, newId } = tools

  /** A finished batch has what it was to have; another one is counted. */
  async function toWire(batch: Batch) {
    const issued =
      batch.finishedAt === null
        ? await withEnvironment(pool, batch.environmentId, (tx) => countIssued(tx, batch.id))
        : batch.size - batch.refusedRows.length
    return toWireBatch(batch, issued, await findCurrency(pool, batch.currency, 'any'))
  }

  function answerWaiting(reply: FastifyReply, { pending, amount }: WaitingBatch, reference: string) {
    tellReplayed(reply, pending)
    return answerPending(pending, reference, amount.minor, amount.currency)
  }

  api.post(path, secretKey('accountant'), {
    operationId: 'create-voucher-batch',
    summary: 'Issues up to 10,000 vouchers of one value out of your balance',
    description: 'They are paid for at once and made within seconds. Ask for the batch to see how far it is.',
    body: closed({
      size: Type.Integer({ minimum: 1, maximum: 10_000 }),
      amount: wireAmount('Of each voucher, in major units'),
      ...issueTerms,
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wireBatch), pendingResponse]) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmStaff(tools, request, body.pin)
      const reference = takeReference(request, reply, body.referenceId, newId)
      const ask = {
        size: body.size,
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference,
        onlyAt: body.onlyAt,
        expires: body.expiresAt,
      }
      const paid = await createBatch(tools, callerOf(request), ask)
      if ('pending' in paid) return answerWaiting(reply, paid, reference)
      tellReplayed(reply, paid)
      return answer('The vouchers are being issued.', await toWire(paid.batch))
    },
  })

  api.post('/merchant-integrations-server/voucher-imports', secretKey('accountant'), {
    route: { bodyLimit: importBytesMax },
    operationId: 'import-vouchers',
    summary: 'Brings gift-card codes and their balances along from another system',
    description:
      'Without confirmation the file is only tried, and every bad row explained. Sent again with the confirmation that a good trial gives, it is imported out of your balance, whole or not at all. Imported codes can be used at your own shops only.',
    body: closed({
      csv: Type.String({
        minLength: 1,
        maxLength: importBytesMax,
        description: 'Its first line names the columns: code and balance, and if you like pin and expires',
      }),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      confirmation: Type.Optional(Type.String({ maxLength: 64 })),
      referenceId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      pin: Type.Optional(wirePin),
    }),
    response: {
      200: Type.Union([
        enveloped(Type.Object({ trial: Type.Optional(wireTrial), batch: Type.Optional(wireBatch) })),
        pendingResponse,
      ]),
    },
    handler: async (request, reply) => {
      const { csv, confirmation, referenceId, currency, pin } = request.body
      // Without a confirmation the file is only checked, and nothing leaves.
      if (confirmation !== undefined) await confirmStaff(tools, request, pin)
      const reference = takeReference(request, reply, referenceId, newId)
      const ask = { csv, confirmation, currency: currency.toUpperCase(), reference }
      const imported = await importVouchers(tools, callerOf(request), ask)
      if ('tried' in imported) return answer('Nothing was imported yet.', { trial: toWireTrial(imported.tried) })
      const { paid } = imported
      if ('pending' in paid) return answerWaiting(reply, paid, reference)
      tellReplayed(reply, paid)
      return answer('The vouchers are being issued.', { batch: await toWire(paid.batch) })
    },
  })

  api.get(path, secretKey('accountant'), {
    operationId: 'list-voucher-batches',
    summary: 'Lists your batches, newest first',
    querystring: Type.Object(cursorQuery),
    response: answers({ batches: Type.Array(wireBatch), nextCursor: Type.String() }),
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listBatches(tx, environmentId, readCursor(cursor), limit),
      )
      const batches = await Promise.all(found.map(toWire))
      return answer('Your batches.', { batches, nextCursor: nextCursorOf(found, limit) })
    },
  })

  api.get(`${path}/:id`, secretKey('accountant'), {
    operationId: 'fetch-voucher-batch',
    summary: 'Tells how far a batch is',
    params: byId,
    response: { 200: enveloped(wireBatch) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const batch = await withEnvironment(pool, environmentId, (tx) => findBatch(tx, environmentId, request.params.id))
      if (batch === undefined) throw batchError('BATCH_NOT_FOUND')
      return answer('The batch.', await toWire(batch))
    },
  })

  api.get(`${path}/:id/vouchers.csv`, secretKey('accountant'), {
    route: {
      // To be asked about them is not to be given them.
      exposeHeadRoute: false,
    },
    operationId: 'export-voucher-batch',
    summary: 'The vouchers of a batch with their codes, for a spreadsheet',
    params: byId,
    response: { 200: { description: 'The file', content: { 'text/csv': { schema: Type.String() } } } },
    handler: async (request, reply) => {
      const csv = toCsv(await exportBatch(tools, callerOf(request), request.params.id))
      return reply.type('text/csv; charset=utf-8').header('Content-Disposition', attachment('vouchers.csv')).send(csv)
    },
  })

  api.get(`${path}/:id/vouchers.pdf`, secretKey('accountant'), {
    route: { exposeHeadRoute: false },
    operationId: 'print-voucher-batch',
    summary: 'The vouchers of a batch to print and cut, ten to a page',
    params: byId,
    response: {
      200: {
        description: 'The file',
        content: { 'application/pdf': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
      },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request)
      reply.type('application/pdf').header('Content-Disposition', attachment('vouchers.pdf'))
      return tools.printer.printSheet(reply, caller.environmentId, async () =>
        toSheetFacts(await exportBatch(tools, caller, request.params.id)),
      )
    },
  })
}

function attachment(name: string): string {
  return `attachment; filename="${name}"`
}
