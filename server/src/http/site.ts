import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from './server.ts'

/** The demo shop of `npm run dev`, which the start page and the API reference use for links and samples. */
export type Demo = {
  /** A public key in test mode. Pages never get a secret key. */
  readonly publicKey: string
  readonly merchantCode: string
}

const pack = promisify(brotliCompress)
// 49 kB instead of 736 kB. The highest quality saves 7 kB more and takes seconds.
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const json = 'application/json; charset=utf-8'

/** Serves what the start page and the page of the API reference load. Registered before the guard, since it is public. */
export function registerSite({ app }: Server, platformName: string, demo: Demo | undefined): void {
  const open = { config: { credentials: 'none' as const }, schema: { hide: true } }
  app.get('/site.json', open, (_request, reply) => {
    const shop = demo === undefined ? null : { publicKey: demo.publicKey, merchantCode: demo.merchantCode }
    return reply.header('Cache-Control', 'no-cache').send({ platformName, demo: shop })
  })

  let made: Promise<PackedDocument> | undefined
  app.get('/docs/openapi.json', open, async (request, reply) => {
    // All routes are registered before the first request, so the document does not change.
    made ??= packDocument(app.swagger())
    return sendDocument(request, reply, await made)
  })
}

type PackedDocument = { readonly plain: Buffer; readonly packed: Buffer; readonly tag: string }

async function packDocument(document: object): Promise<PackedDocument> {
  const plain = Buffer.from(JSON.stringify(document))
  const tag = `"${createHash('sha256').update(plain).digest('base64url')}"`
  return { plain, packed: await pack(plain, packing), tag }
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, document: PackedDocument): FastifyReply {
  const { plain, packed, tag } = document
  reply.type(json).header('Vary', 'Accept-Encoding').header('Cache-Control', 'no-cache').header('ETag', tag)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain)
  return reply.header('Content-Encoding', 'br').send(packed)
}
