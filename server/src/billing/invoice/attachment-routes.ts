import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { createCaps } from '../../base/caps.ts'
import type { Clock } from '../../base/clock.ts'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import type { NewId } from '../../base/id.ts'
import { callerOf } from '../../http/caller.ts'
import { endpoints, staff } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import { httpError } from '../../http/errors.ts'
import { type CreateLimit, networkOf, refuseAbove } from '../../http/limit.ts'
import type { Server } from '../../http/server.ts'
import { findAttachment } from './attachment-store.ts'
import { invoiceError } from './errors.ts'
import { mediaTypeOf } from './file-kind.ts'
import { findByCode } from './find-by-code.ts'
import { attachmentBytesMax } from './limits.ts'
import { uploadFile } from './upload.ts'
import { pageUpload, uploadedFile } from './wire.ts'

// Per network: at most 120 MB at all merchants together, and 40 MB at one, so that a stranger cannot use up what a merchant takes in a day.
const uploadsADay = { all: 60, merchant: 20 }
const dayMs = 86_400_000
// Bodies that are being read are in memory: three times as large as the file.
const uploadsAtOnce = { network: 3, all: 16 }
const retryAfterSeconds = 5
// Base64 takes four characters for three bytes. A file that is a little too large gets an error that says so.
const uploadBytesMax = Math.ceil((attachmentBytesMax * 4) / 3) + 64 * 1024

type AttachmentTools = {
  readonly pool: Pool
  readonly visitorPool: Pool
  readonly clock: Clock
  readonly newId: NewId
  readonly createLimit: CreateLimit
}

/** The upload of files by visitors, and their download by staff. Not part of the merchant API. */
export function registerAttachmentRoutes(server: Server, tools: AttachmentTools): void {
  const api = endpoints(server)
  const { pool, visitorPool, clock, newId } = tools
  const uploadsAtMerchant = tools.createLimit('invoice-upload-merchant', uploadsADay.merchant, dayMs)

  api.post('/invoice/attachments', 'none', {
    // Each file has its own request: three at once would take a slow phone longer than a request may take.
    route: { bodyLimit: uploadBytesMax, onRequest: createAdmission(tools.createLimit) },
    body: pageUpload,
    response: { 200: enveloped(uploadedFile) },
    handler: async ({ body, ip }) => {
      const environmentId = await findByCode(visitorPool, body.merchantCode, body.mode)
      refuseAbove(await uploadsAtMerchant.count(`${networkOf(ip)} ${environmentId}`))
      const { kind, ...file } = await uploadFile({ pool: visitorPool, clock, newId }, environmentId, body)
      return answer('The file is uploaded.', { ...file, type: mediaTypeOf(kind) })
    },
  })

  api.get('/merchant/invoices/:id/attachments/:attachmentId', staff('accountant'), {
    params: Type.Object({ id: Type.String({ format: 'uuid' }), attachmentId: Type.String({ format: 'uuid' }) }),
    handler: async (request, reply) => {
      const { environmentId } = callerOf(request)
      const { id, attachmentId } = request.params
      const file = await withEnvironment(pool, environmentId, (tx) =>
        findAttachment(tx, environmentId, id.toLowerCase(), attachmentId.toLowerCase()),
      )
      if (file === undefined) throw invoiceError('INVOICE_ATTACHMENT_NOT_FOUND')
      return reply.type(mediaTypeOf(file.kind)).headers(savedAs(file.name)).send(file.content)
    },
  })
}

/** Admits a request to upload before its body is read, so that strangers cannot fill the memory. */
function createAdmission(createLimit: CreateLimit) {
  const uploads = createLimit('invoice-upload', uploadsADay.all, dayMs)
  const slots = createCaps()
  return async ({ ip }: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    const network = networkOf(ip)
    refuseAbove(await uploads.count(network))
    const release = slots.take([
      { name: network, max: uploadsAtOnce.network },
      { name: 'all', max: uploadsAtOnce.all },
    ])
    if (release === undefined) throw httpError('RATE_LIMITED', { retryAfterSeconds })
    // A client that has disconnected already gets no close event.
    if (raw.destroyed) release()
    else raw.once('close', release)
  }
}

/** A stranger's file is saved and never shown: whatever it contains, it is no page of ours. */
function savedAs(name: string): Record<string, string> {
  const encoded = encodeURIComponent(name).replaceAll(/['()*!]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
  return {
    'Content-Disposition': `attachment; filename*=UTF-8''${encoded}`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cache-Control': 'private, no-store',
  }
}
