// The start page and the API reference, in a real browser: what they load, from where, and how they look.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ PLATFORM_NAME: 'Corner Pay' })
})
afterAll(() => stack.stop())

const sizes = { phone: { width: 390, height: 780 }, desktop: { width: 1280, height: 800 } }
const demo = { publicKey: 'pk_test_demo', merchantCode: 'DEMO' }
const screens = process.env.SCREENS ?? ''

/** Answers as `npm run dev` does: only there the server knows a key. */
function asDemo(page: Page): Promise<unknown> {
  return page.route('**/site.json', (route) => route.fulfill({ json: { platformName: 'Scrip', demo } }))
}

/** The addresses of the links in the page, in order. */
function readLinks(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('main a')].map((link) => link.getAttribute('href'))`)
}

async function picture(page: Page, name: string): Promise<void> {
  if (screens === '') return
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: !name.startsWith('docs') })
}

/** The bytes that the browser receives, headers included, and how much of it comes from its cache. */
async function countBytes(page: Page): Promise<() => { received: number; cached: number }> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Network.enable')
  let received = 0
  let cached = 0
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => void (received += encodedDataLength))
  devTools.on('Network.requestServedFromCache', () => void (cached += 1))
  return () => ({ received, cached })
}

test('/docs loads less than 500 kB with its fonts, from this server only, without an error in the console', async () => {
  const { page, browserErrors, requests, close } = await stack.open({ viewport: sizes.desktop })
  const bytes = await countBytes(page)
  await page.goto(`${stack.baseUrl}/docs`)
  await page.getByRole('heading', { name: 'API reference' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.title()).toBe('Scrip API')
  const fonts = requests.filter((url) => url.endsWith('.woff2'))
  expect(fonts.length).toBeGreaterThanOrEqual(2)
  expect(await page.evaluate(`document.fonts.check('16px "Scrip Sans"')`)).toBe(true)
  expect(requests.filter((url) => !url.startsWith(stack.baseUrl))).toEqual([])
  const { received } = bytes()
  console.log(`/docs received ${received} bytes in ${requests.length} requests`)
  expect(received).toBeGreaterThan(50_000)
  expect(received).toBeLessThan(500_000)
  expect(browserErrors).toEqual([])
  await close()
})

test('the licence of the fonts is served', async () => {
  const response = await fetch(`${stack.baseUrl}/font-licence.txt`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toContain('SIL OPEN FONT LICENSE Version 1.1')
})

test('a second visit to /docs reads scripts, styles and fonts from the cache and revalidates the document', async () => {
  const { page, requests, close } = await stack.open({ viewport: sizes.desktop })
  await page.goto(`${stack.baseUrl}/docs`)
  await page.waitForLoadState('networkidle')
  const assets = requests.filter((url) => url.includes('/assets/'))
  expect(assets.length).toBeGreaterThan(3)
  for (const url of assets)
    expect((await fetch(url)).headers.get('cache-control'), url).toBe('public, max-age=31536000, immutable')
  const bytes = await countBytes(page)
  await page.goto(`${stack.baseUrl}/v`)
  const before = bytes().received
  await page.goto(`${stack.baseUrl}/docs`)
  await page.getByRole('heading', { name: 'API reference' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(bytes().received - before).toBeLessThan(10_000)
  await close()
})

test('a search shows the endpoint, its sample has a placeholder, and a request from the page is answered', async () => {
  const { page, browserErrors, close } = await stack.open({ viewport: sizes.desktop })
  await page.goto(`${stack.baseUrl}/docs`)
  await page.getByLabel('Search endpoints').fill('fetch-balance')
  await page.getByText('/merchant-integrations/fetch-balance').click()
  const sample = page.getByRole('region', { name: 'Sample request' })
  expect(await sample.innerText()).toContain('Authorization: Bearer YOUR_PUBLIC_KEY')
  await page.getByLabel('Public key').fill('pk_test_wrong')
  expect(await sample.innerText()).toContain('Authorization: Bearer pk_test_wrong')
  await page.getByRole('button', { name: 'Send request' }).click()
  await page.getByText(/^401, \d+ ms$/).waitFor()
  await page.getByText('"doc": "/docs/errors/').waitFor()
  // The browser reports the refusal of the API itself.
  expect(browserErrors.filter((text) => !text.includes('401'))).toEqual([])
  await close()
})

test('on the demo server samples have its public key, and a link to an endpoint opens it', async () => {
  const { page, browserErrors, close } = await stack.open({ viewport: sizes.desktop })
  await asDemo(page)
  await page.goto(`${stack.baseUrl}/docs#redeem-voucher`)
  const sample = page.getByRole('region', { name: 'Sample request' })
  expect(await sample.innerText()).toContain(`Authorization: Bearer ${demo.publicKey}`)
  expect(await sample.innerText()).toContain('"voucherCode":"459W-99AP-0JZ9-NK3E"')
  expect(await page.getByLabel('Secret key').inputValue()).toBe('')
  await page.getByText('Test mode: no real money').waitFor()
  expect(browserErrors).toEqual([])
  await close()
})

test('every endpoint and event of the document is on the page and opens', async () => {
  const document = (await (await stack.fetch('/docs/openapi.json')).json()) as Record<string, Record<string, object>>
  const counts = [document.paths, document.webhooks].flatMap((paths) => Object.values(paths ?? {}))
  const operations = counts.flatMap((methods) => Object.keys(methods)).length
  const { page, browserErrors, close } = await stack.open({ viewport: sizes.phone })
  await page.goto(`${stack.baseUrl}/docs`)
  await page.locator('details').first().waitFor()
  expect(await page.locator('details').count()).toBe(operations)
  await page.evaluate(`document.querySelectorAll('summary').forEach((summary) => summary.click())`)
  await expect.poll(() => page.locator('.docs-details').count(), { timeout: 30_000 }).toBe(operations)
  expect(await findCutText(page)).toEqual([])
  expect(browserErrors).toEqual([])
  await close()
})

test('the start page names the platform and leads to every page', async () => {
  const { page, browserErrors, requests, close } = await stack.open({ viewport: sizes.phone })
  await page.goto(stack.baseUrl)
  await page.getByRole('heading', { name: 'Corner Pay payments' }).waitFor()
  expect(await page.title()).toBe('Corner Pay')
  const links = await readLinks(page)
  expect(links).toEqual(['/app', '/v', '/invoice', '/dashboard', '/docs'])
  for (const link of links) expect((await fetch(`${stack.baseUrl}${link}`)).status, link).toBe(200)
  expect(await page.getByText('Test mode').count()).toBe(0)
  expect(requests.filter((url) => !url.startsWith(stack.baseUrl))).toEqual([])
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('heading', { name: 'Paiements Corner Pay' }).waitFor()
  expect(await page.evaluate('document.documentElement.lang')).toBe('fr')
  expect(browserErrors).toEqual([])
  await close()
})

test('the start page of the demo leads into test mode', async () => {
  const { page, close } = await stack.open({ viewport: sizes.desktop })
  await asDemo(page)
  await page.goto(stack.baseUrl)
  await page.getByText('Test mode: no real money').waitFor()
  const links = await readLinks(page)
  expect(links).toEqual(['/app?mode=test', '/v', '/invoice?to=DEMO&mode=test', '/dashboard/DEMO/test', '/docs'])
  await close()
})

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['phone', 'desktop'] as const).flatMap((size) =>
    (
      [
        ['home', '/'],
        ['docs', '/docs#redeem-voucher'],
      ] as const
    ).map(([name, path]) => ({ colorScheme, size, name, path })),
  ),
)

test.each(looks)('$name at $size size in $colorScheme has no serious fault and cuts no text', async (look) => {
  const { colorScheme, size, name, path } = look
  const { page, close } = await stack.open({ viewport: sizes[size], colorScheme, reducedMotion: 'reduce' })
  await asDemo(page)
  await page.goto(`${stack.baseUrl}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await findSerious(page)).toEqual([])
  expect(await findCutText(page)).toEqual([])
  expect(await isWideAtTwice(page)).toBe(false)
  await picture(page, `${name}-${size}-${colorScheme}`)
  await close()
})
