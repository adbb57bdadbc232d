import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { httpError } from './errors.ts'
import type { Server } from './server.ts'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}
const compressed = new Set(['.html', '.js', '.css', '.svg', '.webmanifest', '.txt'])

/** Pages load everything from this server and connect only to it. Inline scripts and styles are refused. */
const pagePolicy = [
  "default-src 'none'",
  ...['script', 'style', 'font', 'img', 'connect', 'manifest'].map((kind) => `${kind}-src 'self'`),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
].join('; ')

type File = { readonly type: string; readonly plain: Buffer; readonly packed?: () => Promise<Buffer> }

const pack = promisify(brotliCompress)

/**
 * Serves the built files in `folder` from memory: each is read at the start and compressed at its first request. `pages` maps the paths
 * of pages to files; all other files are served under their own names.
 */
export function registerWeb({ app }: Server, folder: string, pages: Readonly<Record<string, string>>): void {
  const files = existsSync(folder) ? readFiles(folder) : new Map<string, File>()
  const open = { config: { credentials: 'none' as const }, schema: { hide: true } }

  const send = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> => {
    const file = files.get(name)
    if (file === undefined) throw httpError('ROUTE_NOT_FOUND')
    const takesPacked = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
    reply.type(file.type).header('Vary', 'Accept-Encoding')
    if (!takesPacked || file.packed === undefined) return reply.send(file.plain)
    return reply.header('Content-Encoding', 'br').send(await file.packed())
  }

  for (const [path, name] of Object.entries(pages))
    app.get(path, open, (request, reply) =>
      send(request, reply.header('Content-Security-Policy', pagePolicy).header('Cache-Control', 'no-cache'), name),
    )
  for (const name of files.keys()) {
    if (name.endsWith('.html')) continue
    // The name contains a hash of the content, so it never changes.
    const age = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600'
    app.get(`/${name}`, open, (request, reply) => {
      // A service worker fetches for its pages, under its own policy.
      if (name.endsWith('-worker.js')) reply.header('Content-Security-Policy', pagePolicy)
      return send(request, reply.header('Cache-Control', age), name)
    })
  }
}

function readFiles(folder: string): Map<string, File> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return new Map(
    names.map((name) => {
      const plain = readFileSync(join(folder, name))
      const type = types[extname(name)] ?? 'application/octet-stream'
      return [name, { type, plain, ...(compressed.has(extname(name)) && { packed: once(() => pack(plain)) }) }]
    }),
  )
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
