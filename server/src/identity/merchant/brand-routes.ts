import Type from 'typebox'
import type { Pool } from '../../base/db.ts'
import { withEnvironment } from '../../base/environment.ts'
import { currencyError } from '../../catalogue/currency/errors.ts'
import { callerOf } from '../../http/caller.ts'
import { anyRole, endpoints, secretKey } from '../../http/endpoint.ts'
import { answer, enveloped } from '../../http/envelope.ts'
import type { CreateLimit } from '../../http/limit.ts'
import { closed } from '../../http/schema.ts'
import type { Server } from '../../http/server.ts'
import { createSetLogo, logoBytesMax, readBrand } from './brand.ts'
import { deleteLogo, findLogo, isCurrentLogo, saveBrand } from './brand-store.ts'
import { cacheLogos } from './logo-cache.ts'
import { findShop } from './store.ts'
import { toWireShop } from './to-wire.ts'
import { type WireShop, wireShop } from './wire.ts'

const url = '/merchant-integrations-server/brand'
// Four characters for three bytes.
const base64Max = Math.ceil(logoBytesMax / 3) * 4

type Tools = { readonly pool: Pool; readonly visitorPool: Pool; readonly createLimit: CreateLimit }

/** Logo, colour, address and tax number of a shop. Only the owner changes them. */
export function registerBrandRoutes(server: Server, { pool, visitorPool, createLimit }: Tools): void {
  const api = endpoints(server, ['Settings'])
  const setLogo = createSetLogo(pool, createLimit)
  const readLogo = cacheLogos({
    isCurrent: (code, version) => isCurrentLogo(visitorPool, code, version),
    read: (code, version) => findLogo(visitorPool, code, version),
  })
  const show = async (environmentId: string): Promise<WireShop> => toWireShop(await findShop(pool, environmentId))

  api.get(url, secretKey(...anyRole), {
    operationId: 'fetch-brand',
    summary: 'Get the brand',
    description: 'What your customers see on vouchers, payment requests, receipts, emails and documents.',
    response: { 200: enveloped(wireShop) },
    handler: async (request) => answer('Your brand.', await show(callerOf(request).environmentId)),
  })

  api.post(url, secretKey(), {
    operationId: 'update-brand',
    summary: 'Update the brand',
    description:
      'Replaces all three; an empty text removes one. Test and live mode have a brand each. Pages make the accent darker or lighter where text in it would be hard to read.',
    body: closed({
      accent: Type.String({ maxLength: 7, description: '#rrggbb, or empty' }),
      address: Type.String({ maxLength: 300, description: 'At most 6 lines, separated by line feeds' }),
      taxNumber: Type.String({ maxLength: 40 }),
    }),
    response: { 200: enveloped(wireShop) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      await saveBrand(pool, environmentId, readBrand(request.body))
      return answer('Your brand is saved.', await show(environmentId))
    },
  })

  api.post(`${url}/logo`, secretKey(), {
    operationId: 'upload-logo',
    summary: 'Upload a logo',
    description:
      'A PNG or JPEG of at most 1 MB and 4096 × 4096 pixels. It is stored as a PNG of at most 512 × 512 pixels without metadata.',
    route: { bodyLimit: base64Max + 1_000 },
    body: closed({ image: Type.String({ minLength: 1, maxLength: base64Max, description: 'The file in base64' }) }),
    response: { 200: enveloped(wireShop) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      await setLogo(environmentId, request.body.image)
      return answer('Your logo is saved.', await show(environmentId))
    },
  })

  api.delete(`${url}/logo`, secretKey(), {
    operationId: 'delete-logo',
    summary: 'Delete the logo',
    response: { 200: enveloped(wireShop) },
    handler: async (request) => {
      const { environmentId } = callerOf(request)
      await withEnvironment(pool, environmentId, (tx) => deleteLogo(tx, environmentId))
      return answer('Your logo is deleted.', await show(environmentId))
    },
  })

  api.get('/brand/:code/:file', 'none', {
    params: Type.Object({ code: Type.String(), file: Type.String() }),
    handler: async (request, reply) => {
      const { code, file } = request.params
      const [, version] = /^([0-9a-f]{32})\.png$/.exec(file) ?? []
      const image = version === undefined ? undefined : await readLogo(code, version)
      if (image === undefined) throw currencyError('LOGO_NOT_FOUND')
      return (
        reply
          .type('image/png')
          // The path contains a hash of the image.
          .header('Cache-Control', 'public, max-age=31536000, immutable')
          .header('X-Content-Type-Options', 'nosniff')
          .header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
          .send(image)
      )
    },
  })
}
