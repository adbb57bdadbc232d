// Waits until a page shows what it loads. `networkidle` never comes on pages with a live stream.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'

const openRequests = new WeakMap<Page, Set<Request>>()
const streams = /\/(stream|live)(\?|$)/

/** Has to be called before the page loads anything. */
export function watchRequests(page: Page): void {
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('request', (request) => {
    if (!streams.test(request.url())) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/** Waits until nothing has been requested for 100 ms and no grey shape stands in for content. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const open = openRequests.get(page) ?? new Set()
  const deadline = Date.now() + 15_000
  let quietSince = Date.now()
  while (Date.now() - quietSince < 100) {
    if (Date.now() > deadline) throw new Error(`${page.url()} is still loading`)
    if (open.size > 0 || (await page.locator('.skeleton').count()) > 0) quietSince = Date.now()
    await sleep(20)
  }
}
