import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { withEnvironment } from '../../base/environment.ts'
import { findCurrency } from '../../catalogue/currency/store.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, secretKey, showingCodes } from '../../http/endpoint.ts'
import { closed, wireAmount } from '../../http/schema.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { digitsOf } from '../../http/exact-json.ts'
import { idempotencyHeader, markReplayed } from '../../http/idempotency.ts'
import { cursorQuery, cutPage, readCursor } from '../../http/pages.ts'
import type { Server } from '../../http/server.ts'
import type { Printer } from '../../print/printer.ts'
import { answerPending } from '../../payments/outflow/to-wire.ts'
import { pendingResponse } from '../../payments/outflow/wire.ts'
import { takeReference } from '../../payments/transaction/reference.ts'
import { wireReference } from '../../payments/transaction/wire.ts'
import { confirmStaff, pinHeaderOf, type PinTools } from '../../identity/user/pin.ts'
import type { CountUserLookups } from '../../identity/user/quota.ts'
import { wirePin } from '../../identity/user/routes.ts'
import type { IssueTools } from '../voucher/issue.ts'
import { readRulesBody } from '../voucher/read-rules.ts'
import { readOnchain } from '../voucher/to-wire.ts'
import { issueTerms, onchainFields } from '../voucher/wire.ts'
import { createCards } from './create-cards.ts'
import { batchError } from './errors.ts'
import { exportBatch, type ExportTools, toCsv, readSheetFacts } from './export.ts'
import { importVouchers } from './import-vouchers.ts'
import { createBatch, type PaidBatch } from './pay-batch.ts'
import { type Batch, countIssued, findBatch, listBatches } from './store.ts'
import { toWireBatch, toWireTrial } from './to-wire.ts'
import { wireBatch, wireBatches, wireImport } from './wire.ts'

const path = '/merchant-integrations-server/voucher-batches'
const byId = Type.Object({ id: Type.String({ format: 'uuid' }) })
type WaitingBatch = Extract<PaidBatch, { pending: unknown }>

const importBytesMax = 2 * 1024 * 1024

type Tools = IssueTools &
  ExportTools &
  PinTools & { readonly printer: Printer; readonly countUserLookups: CountUserLookups }

export function registerBatchRoutes(server: Server, tools: Tools): void {
  const api = endpoints(server, ['Bulk vouchers'])
  const { pool, newId } = tools

  /** Counts the vouchers of a batch only until it is finished. */
  async function toWire(batch: Batch) {
    const issued =
      batch.finishedAt === null
        ? await withEnvironment(pool, batch.environmentId, (tx) => countIssued(tx, batch.id))
        : batch.size - batch.refusedRows.length
    return toWireBatch(batch, issued, await findCurrency(pool, batch.currency, 'any'))
  }

  function replyPending(reply: FastifyReply, { pending, amount }: WaitingBatch, reference: string) {
    markReplayed(reply, pending)
    return answerPending(pending, reference, amount.minor, amount.currency)
  }

  api.post(path, secretKey('accountant'), {
    operationId: 'create-voucher-batch',
    summary: 'Issue vouchers in bulk',
    headers: idempotencyHeader,
    description:
      'Your balance is charged at once. The vouchers are created within seconds: get the batch to see its progress.',
    body: closed({
      size: Type.Integer({ minimum: 1, maximum: 10_000 }),
      amount: wireAmount('The amount of each voucher, in major units'),
      ...issueTerms,
      ...onchainFields,
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wireBatch), pendingResponse]) },
    handler: async (request, reply) => {
      const { body } = request
      await confirmStaff(tools, request, body.pin)
      const reference = takeReference(request, reply, body.referenceId, newId)
      const input = {
        size: body.size,
        amount: digitsOf(body, 'amount') ?? '',
        currency: body.currency.toUpperCase(),
        reference,
        onlyAt: body.onlyAt,
        expires: body.expiresAt,
        onchain: readOnchain(body),
        rules: await readRulesBody(tools, request, body.rules),
      }
      const paid = await createBatch(tools, callerOf(request), input)
      if ('pending' in paid) return replyPending(reply, paid, reference)
      markReplayed(reply, paid)
      return answer('The vouchers are being issued.', await toWire(paid.batch))
    },
  })

  api.post('/merchant-integrations-server/voucher-cards', secretKey('accountant'), {
    operationId: 'create-voucher-cards',
    summary: 'Make cards to sell',
    headers: idempotencyHeader,
    description:
      'An inactive batch: its cards can be printed and put on a shelf, and are worthless until you sell them. Only you accept them. Nothing is charged.',
    body: closed({
      size: Type.Integer({ minimum: 1, maximum: 10_000 }),
      amount: Type.Optional(wireAmount('The printed amount, in major units. If left out, the sale decides')),
      currency: issueTerms.currency,
      expiresAt: issueTerms.expiresAt,
      rules: issueTerms.rules,
      referenceId: issueTerms.referenceId,
    }),
    response: { 200: enveloped(wireBatch) },
    handler: async (request, reply) => {
      const { body } = request
      const made = await createCards(tools, callerOf(request), {
        size: body.size,
        amount: digitsOf(body, 'amount'),
        currency: body.currency.toUpperCase(),
        expires: body.expiresAt,
        rules: await readRulesBody(tools, request, body.rules),
        reference: takeReference(request, reply, body.referenceId, newId),
      })
      markReplayed(reply, made)
      return answer('The cards are being made.', await toWire(made.batch))
    },
  })

  api.post('/merchant-integrations-server/voucher-imports', secretKey('accountant'), {
    route: { bodyLimit: importBytesMax },
    operationId: 'import-vouchers',
    summary: 'Import gift cards',
    headers: idempotencyHeader,
    description:
      'Without confirmation the file is only checked, and every invalid row is explained. Send it again with the confirmation of a successful check to import it from your balance, all rows or none. Imported codes can be redeemed at your own shops only.',
    body: closed({
      csv: Type.String({
        minLength: 1,
        maxLength: importBytesMax,
        description: 'Its first line names the columns: code and balance, and optionally pin and expires',
      }),
      currency: Type.String({ minLength: 1, maxLength: 12 }),
      confirmation: Type.Optional(Type.String({ maxLength: 64 })),
      rules: issueTerms.rules,
      referenceId: Type.Optional(wireReference),
      pin: Type.Optional(wirePin),
    }),
    response: { 200: Type.Union([enveloped(wireImport), pendingResponse]) },
    handler: async (request, reply) => {
      const { csv, confirmation, referenceId, currency, pin } = request.body
      // Without a confirmation the file is only checked, so no PIN is needed.
      if (confirmation !== undefined) await confirmStaff(tools, request, pin)
      const reference = takeReference(request, reply, referenceId, newId)
      const rules = await readRulesBody(tools, request, request.body.rules)
      const input = { csv, confirmation, currency: currency.toUpperCase(), reference, rules }
      const imported = await importVouchers(tools, callerOf(request), input)
      if ('tried' in imported) return answer('Nothing was imported yet.', { trial: toWireTrial(imported.tried) })
      const { paid } = imported
      if ('pending' in paid) return replyPending(reply, paid, reference)
      markReplayed(reply, paid)
      return answer('The vouchers are being issued.', { batch: await toWire(paid.batch) })
    },
  })

  api.get(path, secretKey('accountant'), {
    operationId: 'list-voucher-batches',
    summary: 'List batches',
    description: 'Newest first.',
    querystring: Type.Object(cursorQuery),
    response: { 200: enveloped(wireBatches) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const { cursor, limit } = request.query
      const found = await withEnvironment(pool, environmentId, (tx) =>
        listBatches(tx, environmentId, readCursor(cursor), limit + 1),
      )
      const { page, continuation } = cutPage(found, limit)
      const batches = await Promise.all(page.map(toWire))
      return answer('Your batches.', { batches, ...continuation })
    },
  })

  api.get(`${path}/:id`, secretKey('accountant'), {
    operationId: 'fetch-voucher-batch',
    summary: 'Get a batch',
    description: 'Shows how many of its vouchers have been created.',
    params: byId,
    response: { 200: enveloped(wireBatch) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      const batch = await withEnvironment(pool, environmentId, (tx) => findBatch(tx, environmentId, request.params.id))
      if (batch === undefined) throw batchError('BATCH_NOT_FOUND')
      return answer('The batch.', await toWire(batch))
    },
  })

  api.get(`${path}/:id/vouchers.csv`, showingCodes(secretKey('accountant')), {
    route: {
      // A HEAD request must not mark the batch as exported.
      exposeHeadRoute: false,
    },
    operationId: 'export-voucher-batch',
    summary: 'Download a batch as CSV',
    params: byId,
    response: { 200: { description: 'The file', content: { 'text/csv': { schema: Type.String() } } } },
    handler: async (request, reply) => {
      await confirmStaff(tools, request, pinHeaderOf(request))
      const csv = toCsv(await exportBatch(tools, callerOf(request), request.params.id))
      return reply.type('text/csv; charset=utf-8').header('Content-Disposition', attachment('vouchers.csv')).send(csv)
    },
  })

  api.get(`${path}/:id/vouchers.pdf`, showingCodes(secretKey('accountant')), {
    route: { exposeHeadRoute: false },
    operationId: 'print-voucher-batch',
    summary: 'Download a batch as PDF',
    description: 'Ten vouchers to a page, to print and cut.',
    params: byId,
    response: {
      200: {
        description: 'The file',
        content: { 'application/pdf': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
      },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request)
      await confirmStaff(tools, request, pinHeaderOf(request))
      reply.type('application/pdf').header('Content-Disposition', attachment('vouchers.pdf'))
      return tools.printer.printSheet(reply, caller.environmentId, async () =>
        readSheetFacts(tools, caller.environmentId, await exportBatch(tools, caller, request.params.id)),
      )
    },
  })
}

function attachment(name: string): string {
  return `attachment; filename="${name}"`
}
