// The service worker: opens the app offline and shows push notifications, also while the app is closed.
import { describeRequest, type PushMessage } from './worker-words.ts'

type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void }
type Fetched = Extendable & { readonly request: Request; respondWith: (response: Promise<Response>) => void }
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
  // Only the page and its files are cached, never API responses.
  if (request.mode === 'navigate') event.respondWith(fetchOrCached(request))
  else if (pathname.startsWith('/assets/') || /\.(svg|png|webmanifest)$/.test(pathname))
    event.respondWith(cachedOrFetch(request))
})

async function fetchOrCached(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName)
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(page, response.clone())
    return response
  } catch {
    return (await cache.match(page)) ?? Response.error()
  }
}

/** File names contain a hash of the content, so a cached file is never outdated. */
async function cachedOrFetch(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName)
  const cached = await cache.match(request)
  if (cached !== undefined) return cached
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

worker.addEventListener('push', (event) => {
  const message = event.data?.json() as PushMessage & { readonly id: string }
  const { id } = message
  const { title, body } = describeRequest(message, navigator.language)
  event.waitUntil(
    worker.registration.showNotification(title, {
      body,
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

/** Opens the address in a window of the app, or in a new one. */
async function open(url: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: false })
  const [shown] = pages.filter(({ url: at }) => new URL(at).pathname.startsWith(page))
  if (shown === undefined) await worker.clients.openWindow(url)
  else {
    await shown.focus()
    await shown.navigate(url)
  }
}
