// Runs beside the app, and while it is closed: shows the app without a network, and what the server pushes.
import { words } from './worker-words.ts'

type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void }
type Fetched = Extendable & { readonly request: Request; respondWith: (answer: Promise<Response>) => void }
type Pushed = Extendable & { readonly data: { json: () => unknown } | null }
type Clicked = Extendable & { readonly notification: Notification }
type Page = { readonly url: string; focus: () => Promise<unknown>; navigate: (url: string) => Promise<unknown> }
type Worker = {
  readonly registration: { showNotification: (title: string, options: NotificationOptions) => Promise<void> }
  readonly clients: {
    claim: () => Promise<void>
    matchAll: (options: object) => Promise<readonly Page[]>
    openWindow: (url: string) => Promise<unknown>
  }
  skipWaiting: () => Promise<void>
  addEventListener: {
    (name: 'install' | 'activate', listener: (event: Extendable) => void): void
    (name: 'fetch', listener: (event: Fetched) => void): void
    (name: 'push', listener: (event: Pushed) => void): void
    (name: 'notificationclick', listener: (event: Clicked) => void): void
  }
}
const worker = self as unknown as Worker

const cacheName = 'wallet-1'
const page = '/app'

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { pathname, origin } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  // The page as it is now, or as it was last. What the server knows is never kept here.
  if (request.mode === 'navigate') event.respondWith(freshOrKept(request))
  else if (pathname.startsWith('/assets/') || /\.(svg|png|webmanifest)$/.test(pathname))
    event.respondWith(keptOrFresh(request))
})

async function freshOrKept(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName)
  try {
    const answer = await fetch(request)
    if (answer.ok) await cache.put(page, answer.clone())
    return answer
  } catch {
    return (await cache.match(page)) ?? Response.error()
  }
}

/** A file's name has the hash of what is in it, so one that is kept is right. */
async function keptOrFresh(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName)
  const kept = await cache.match(request)
  if (kept !== undefined) return kept
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}

type Message = { readonly id: string; readonly merchant: string; readonly amount: string; readonly currency: string }

worker.addEventListener('push', (event) => {
  const { id, merchant, amount, currency } = event.data?.json() as Message
  const text = words(navigator.language)
  event.waitUntil(
    worker.registration.showNotification(text.title(merchant), {
      body: text.body(amount, currency),
      tag: id,
      icon: '/voucher-icon-192.png',
      data: { url: `${page}/pay/${id}` },
    }),
  )
})

worker.addEventListener('notificationclick', (event) => {
  const { url } = event.notification.data as { url: string }
  event.notification.close()
  event.waitUntil(open(url))
})

/** In the app that is open, or in a new one. */
async function open(url: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: false })
  const [shown] = pages.filter(({ url: at }) => new URL(at).pathname.startsWith(page))
  if (shown === undefined) await worker.clients.openWindow(url)
  else {
    await shown.focus()
    await shown.navigate(url)
  }
}
