// The page with every component, compared with committed pictures. After an intended change:
// UPDATE_PICTURES=1 npx vitest run --config e2e/vitest.config.ts e2e/web/components.test.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWeb } from '../../server/local/demo/web.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { launchBrowser } from './stack.ts'

const dist = resolve(import.meta.dirname, '../../web/dist')
const pictures = resolve(import.meta.dirname, 'pictures')
const origin = 'http://components.example'
const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

// Fine enough for one shade of one token. The same Chromium draws the same pixels; the edges of letters, which other versions draw
// a little differently, do not count.
const colourTolerance = 0.03
const changedMax = 0.0003

let browser: Awaited<ReturnType<typeof launchBrowser>>
beforeAll(async () => {
  await buildWeb()
  browser = await launchBrowser()
})
afterAll(() => browser.close())

async function openComponents(width: number, locale: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, locale, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.route(`${origin}/**`, (route) => {
    const path = new URL(route.request().url()).pathname
    const file = resolve(dist, path === '/' ? 'components/index.html' : `.${path}`)
    const contentType = types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    return existsSync(file) ? route.fulfill({ body: readFileSync(file), contentType }) : route.fulfill({ status: 404 })
  })
  await page.goto(`${origin}/`)
  await page.locator('.ticket-paper').first().waitFor()
  await page.evaluate('document.fonts.ready')
  // The date picker is a file of its own.
  await page.locator('.date-parts').first().waitFor()
  return page
}

test.for([
  ['en', 'en-GB', 1280],
  ['fr', 'fr-FR', 390],
] as const)('in %s, the components look as in their picture', async ([language, locale, width]) => {
  const page = await openComponents(width, locale)
  const seen = PNG.sync.read(await page.screenshot({ fullPage: true }))
  const path = resolve(pictures, `components-${width}-${language}.png`)
  if (process.env.UPDATE_PICTURES === '1') writeFileSync(path, PNG.sync.write(seen))
  const known = PNG.sync.read(readFileSync(path))
  expect([seen.width, seen.height]).toEqual([known.width, known.height])
  const difference = new PNG({ width: seen.width, height: seen.height })
  const changed = pixelmatch(known.data, seen.data, difference.data, seen.width, seen.height, {
    threshold: colourTolerance,
  })
  const share = changed / (seen.width * seen.height)
  if (share >= changedMax)
    writeFileSync(resolve(pictures, `difference-${width}-${language}.png`), PNG.sync.write(difference))
  expect(share).toBeLessThan(changedMax)
  await page.context().close()
})

test('axe finds nothing serious among the components, and nothing breaks at twice the font size', async () => {
  const page = await openComponents(1280, 'en-GB')
  expect(await findSerious(page)).toEqual([])
  expect(await isWideAtTwice(page)).toBe(false)
  await page.context().close()
})
