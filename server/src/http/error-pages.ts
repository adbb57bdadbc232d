import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { errorCatalogue, type ErrorKind } from '../base/errors.ts'
import { errorPageOf, slugOf, statusOf } from './envelope.ts'
import { httpError } from './errors.ts'
import type { Server } from './server.ts'

type CatalogueEntry = (typeof errorCatalogue)[number]

/** What an integrating developer should do next, by the kind of error. */
const nextSteps: Record<ErrorKind, string> = {
  malformed: 'Fix the request before sending it again. error.param names the field.',
  unauthenticated: 'Check the key, the session and the mode (test or live), then send the request again.',
  insufficient: 'The balance is too low. Send the request again after it has been topped up.',
  forbidden: 'Use a key or an account that has this permission. Retrying does not help.',
  not_found: 'Check the id, and that it belongs to the same merchant and mode as the key.',
  wrong_method: 'Use one of the methods in the Allow header.',
  conflict: 'Read the current state of the object first, then decide. Retrying unchanged does not help.',
  unacceptable: 'The request is well formed, but a rule refuses it. Change the request.',
  too_many: 'Wait for the number of seconds in the Retry-After header, then send the request again.',
  internal:
    'Send the same request with the same reference again: that is safe. If it persists, report error.requestId.',
  unavailable: 'Send the same request with the same reference again after a pause: that is safe.',
}

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: 0.5rem 1rem; }
dt { opacity: 0.7; }
dd { margin: 0; overflow-wrap: anywhere; }
li { margin: 0.5rem 0; }
code { font-size: 0.95em; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.75rem; } }
`
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Serves one page for each error code, where `error.doc` of a response points, and a list of all of them. */
export function registerErrorPages({ app }: Server): void {
  const open = { config: { credentials: 'none' as const }, schema: { hide: true } }
  app.get('/docs/errors', open, (_request, reply) => sendPage(reply, renderList()))
  app.get<{ Params: { slug: string } }>('/docs/errors/:slug', open, (request, reply) => {
    const entry = errorCatalogue.find(({ code }) => slugOf(code) === request.params.slug)
    if (entry === undefined) throw httpError('ROUTE_NOT_FOUND')
    return sendPage(reply, renderError(entry))
  })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', 'no-cache')
    .send(html)
}

function renderError({ code, kind, message }: CatalogueEntry): string {
  return renderPage(
    code,
    `<h1><code>${code}</code></h1>
<dl>
<dt>Meaning</dt><dd>${escapeHtml(message)}</dd>
<dt>HTTP status</dt><dd>${statusOf[kind]}</dd>
<dt>error.type</dt><dd><code>${kind}</code></dd>
<dt>What to do</dt><dd>${escapeHtml(nextSteps[kind])}</dd>
</dl>
<p><a href="/docs/errors">All errors</a> · <a href="/docs">API reference</a></p>`,
  )
}

function renderList(): string {
  const items = errorCatalogue
    .toSorted((a, b) => a.code.localeCompare(b.code))
    .map(
      ({ code, kind, message }) =>
        `<li><a href="${errorPageOf(code)}"><code>${code}</code></a> (${statusOf[kind]})<br>${escapeHtml(message)}</li>`,
    )
  return renderPage(
    'Errors',
    `<h1>Errors</h1>
<p>Codes are stable. error.code in a response is one of these, error.doc is the address of its page.</p>
<ul>
${items.join('\n')}
</ul>
<p><a href="/docs">API reference</a></p>`,
  )
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Scrip API</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
