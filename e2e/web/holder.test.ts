// From the printed sheet to the holder's page: what a merchant hands out and what the customer sees.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { settle } from './settle.ts'
import { type Stack, startStack } from './stack.ts'

const SK = '/merchant-integrations-server'
const pin = '4821'
const phone = { viewport: { width: 390, height: 844 } }
const desk = { viewport: { width: 1280, height: 900 } }

let stack: Stack
/** The codes of a batch of twelve, from its CSV. */
let codes: string[]
let sheet: Buffer
const secrets = new Set([pin])
beforeAll(async () => {
  stack = await startStack()
  await stack.post('/sandbox/fund', { amount: 10_000, currency: 'USD' })
  const { data } = await stack.post(`${SK}/voucher-batches`, {
    size: 12,
    amount: 50,
    currency: 'USD',
    expiresAt: '2031-12-31',
  })
  const batch = `${SK}/voucher-batches/${String(data.id)}`
  while ((await stack.get(batch)).data.status !== 'ready') await sleep(50)
  const csv = await (await stack.fetch(`${batch}/vouchers.csv`)).text()
  codes = csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[1] ?? '')
  for (const code of codes) secrets.add(code)
  sheet = Buffer.from(await (await stack.fetch(`${batch}/vouchers.pdf`)).arrayBuffer())
})
afterAll(() => stack.stop())

const redeem = (voucherCode: string, amount: number, referenceId: string, lockPin?: string) =>
  stack.post('/merchant-integrations/redeem-voucher', { voucherCode, amount, referenceId, lockPin })

async function make(path: string, terms: object): Promise<string> {
  const { data } = await stack.post(path, { amount: 100, currency: 'USD', ...terms })
  secrets.add(String(data.code))
  return String(data.code)
}

async function historyOf(code: string): Promise<string[]> {
  const { data } = await stack.post('/holder/voucher', { code })
  return (data.history as { kind: string }[]).map(({ kind }) => kind)
}

test('the QR codes of the printed sheet open the holder’s page of each voucher', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-sheet-'))
  writeFileSync(join(folder, 'sheet.pdf'), sheet)
  // This scanner needs several looks at a code, as a camera has: of 2,000 codes it missed 15, 6 and 10 at these
  // resolutions, and none at all three.
  const looks = ['150', '200', '300'].flatMap((dpi) => {
    execFileSync('pdftoppm', ['-r', dpi, '-png', 'sheet.pdf', `look-${dpi}`], { cwd: folder })
    const pages = readdirSync(folder).filter((name) => name.startsWith(`look-${dpi}`))
    const read = execFileSync('zbarimg', ['-q', '--raw', ...pages], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return read.toString().trim().split('\n')
  })
  const links = [...new Set(looks)].sort()
  expect(links).toEqual(codes.map((code) => `${stack.baseUrl}/v#${code}`).sort())

  const { page, browserErrors, close } = await stack.open(phone)
  await page.goto(links[0] ?? '')
  await page.getByText('Corner Books', { exact: true }).first().waitFor()
  expect(await page.locator('main').innerText()).toContain('50.00')
  expect(browserErrors).toEqual([])
  await close()
})

test('the balance and the history follow redemptions and refunds, and no URL contains the code', async () => {
  const [code = ''] = codes
  const { page, browserErrors, requests, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByText('Left to spend').waitFor()
  await redeem(code, 12.5, 'sale-1')
  await stack.post(`${SK}/refund`, { referenceId: 'sale-1', amount: 2.5, refundReferenceId: 'refund-1' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  const main = page.locator('main')
  await main.getByText('Refunded').waitFor()
  const text = await main.innerText()
  // 12.50 and a fee of 0.29 left the voucher, 2.50 came back.
  expect(text).toContain('39.71')
  expect(text).toContain('12.79')
  expect(text).toMatch(/including a fee of \$0\.29/)
  expect(requests.some((url) => url.includes(code) || url.includes(code.replaceAll('-', '')))).toBe(false)
  expect(requests.every((url) => url.startsWith(stack.baseUrl))).toBe(true)
  expect(browserErrors).toEqual([])
  await close()
})

test('an open page follows redemptions without a reload, also behind a PIN', async () => {
  const code = await make('/sandbox/vouchers', { lockPin: pin })
  const { page, browserErrors, requests, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByLabel(/pin/i).fill(pin)
  await page.keyboard.press('Enter')
  await page.getByText('Left to spend').waitFor()
  await page.waitForTimeout(500)
  await redeem(code, 40, 'live-1', pin)
  // 40.00 and a fee of 0.70.
  await page.getByText('59.30').first().waitFor({ timeout: 10_000 })
  expect(requests.some((url) => url.includes(code.replaceAll('-', '')) || url.includes(code))).toBe(false)
  // Chromium logs the 403 that asks for a PIN.
  expect(browserErrors.filter((text) => !text.includes('403'))).toEqual([])
  await close()
})

test('a locked voucher asks for its PIN, rejects a wrong one, and opens with the right one', async () => {
  const { data } = await stack.post('/sandbox/vouchers', { amount: 80, currency: 'USD', lockPin: pin })
  const code = String(data.code)
  secrets.add(code)
  const { page, requests, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  const field = page.getByLabel(/pin/i)
  await field.fill('0000')
  await page.keyboard.press('Enter')
  await page.getByText('Incorrect PIN').first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('The PIN has 4 digits.').waitFor()
  await field.fill(pin)
  expect(await page.locator('.field-error').count()).toBe(0)
  await page.keyboard.press('Enter')
  await page.getByText('Left to spend').waitFor()
  expect(await page.locator('main').innerText()).toContain('80.00')
  expect(requests.some((url) => url.includes(pin))).toBe(false)
  expect(
    await page.evaluate<string>('`${JSON.stringify(localStorage)}${JSON.stringify(sessionStorage)}`'),
  ).not.toContain(pin)
  await close()
})

test('a voucher saved on the phone is listed at /v', async () => {
  const [, code = ''] = codes
  const { page, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByRole('button', { name: 'Save on this phone' }).click()
  await page.goto(`${stack.baseUrl}/v`)
  await page.reload()
  await page.getByText('Corner Books').first().click()
  await page.getByText('Left to spend').waitFor()
  const manifest = (await (await fetch(`${stack.baseUrl}/voucher.webmanifest`)).json()) as Record<string, unknown>
  expect(manifest).toMatchObject({ start_url: '/v', display: 'standalone' })
  await close()
})

test('a removed voucher can be put back, from the button that has the focus', async () => {
  const [, , , , code = ''] = codes
  const { page, browserErrors, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByRole('button', { name: 'Save on this phone' }).click()
  await page.getByRole('link', { name: 'Other vouchers' }).click()
  await page.getByRole('button', { name: 'Remove the Corner Books voucher' }).click()
  await page.getByText('The Corner Books voucher was removed.').waitFor()
  await page.locator('button:focus').getByText('Undo').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Corner Books' }).waitFor()
  expect(browserErrors).toEqual([])
  await close()
})

test('fields take only what belongs into them: a code is grouped as it is typed, and a PIN has no letters', async () => {
  const code = await make('/sandbox/vouchers', { lockPin: pin })
  const { page, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v`)
  const field = page.getByLabel('Code')
  await field.pressSequentially(`${code.slice(0, 4).toLowerCase()} -${code.slice(5).replaceAll('-', '')}`)
  expect(await field.inputValue()).toBe(code)
  await page.keyboard.press('Enter')
  const digits = page.getByLabel('PIN')
  await digits.pressSequentially('a4b8 2-1')
  expect(await digits.inputValue()).toBe(pin)
  await page.keyboard.press('Enter')
  await page.getByText('Left to spend').waitFor()
  await close()
})

test('the QR code fills the screen at the till, and Escape leads back to the button', async () => {
  const [, , , , code = ''] = codes
  const { page, browserErrors, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/v#${code}`)
  const show = page.getByRole('button', { name: 'Show at the till' })
  await show.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Voucher to show at the till' })
  const box = await dialog.getByRole('img', { name: 'QR code of this voucher' }).boundingBox()
  expect(box?.width).toBeGreaterThan(340)
  expect(await findSerious(page)).toEqual([])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Show at the till')
  expect(browserErrors).toEqual([])
  await close()
})

test('the first load of a voucher is at most 80 kB compressed, with its fonts', async () => {
  const [, , , , code = ''] = codes
  const { page, close } = await stack.open({ ...phone, locale: 'en-US' })
  const sizes = new Map<string, number>()
  const bodies: Promise<void>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // Fonts and pictures are compressed already.
    const sizeOf = (body: Buffer) => (/\.(woff2|png)$/.test(pathname) ? body.length : gzipSync(body).length)
    if (/^\/(v$|assets\/|[\w-]+\.)/.test(pathname))
      bodies.push(
        response.body().then(
          (body) => void sizes.set(pathname, sizeOf(body)),
          () => undefined,
        ),
      )
  })
  await page.goto(`${stack.baseUrl}/v#${code}`)
  await page.getByText('Left to spend').waitFor()
  await settle(page)
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  await Promise.all(bodies)
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  console.log(`first load of a voucher: ${(bytes / 1_000).toFixed(1)} kB compressed`, Object.fromEntries(sizes))
  const fonts = [...sizes.keys()]
    .filter((path) => path.endsWith('.woff2'))
    .map((path) => path.replace(/-.{8}\.woff2$/, ''))
  expect(fonts.sort()).toEqual(['/assets/scrip-mono', '/assets/scrip-sans'])
  expect(bytes).toBeLessThan(80_000)
  await close()
})

test('the page has a policy that blocks other origins, and files outside it are not found', async () => {
  const reply = await fetch(`${stack.baseUrl}/v`)
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
  expect((await fetch(`${stack.baseUrl}/assets/../../../package.json`)).status).toBe(404)
  expect((await fetch(`${stack.baseUrl}/holder/index.html`)).status).toBe(404)
})

/** `SCREENS=docs/images npm run e2e` writes the screenshots. */
test('every state renders at both widths, light and dark, without browser errors', async () => {
  const folder = process.env.SCREENS
  const [, , code = '', spent = ''] = codes
  await redeem(code, 18.4, 'screen-1')
  await redeem(code, 6, 'screen-2')
  await stack.post(`${SK}/refund`, { referenceId: 'screen-2', amount: 4, refundReferenceId: 'screen-3' })
  await stack.post('/merchant-integrations/redeem-voucher', { voucherCode: spent, amount: 'max' })
  const locked = await make('/sandbox/vouchers', { lockPin: pin })
  const ended = await make(`${SK}/vouchers`, { expiresAt: new Date(Date.now() + 1_000).toISOString() })
  await redeem(ended, 20, 'screen-4')
  // Wait until the worker has moved the rest to unclaimed value.
  while (!(await historyOf(ended)).includes('expired')) await sleep(500)
  const states = {
    voucher: `#${code}`,
    spent: `#${spent}`,
    expired: `#${ended}`,
    locked: `#${locked}`,
    start: '',
    missing: '#0000-0000-0000-0000',
  }
  for (const [name, fragment] of Object.entries(states))
    for (const [width, size] of [
      ['390', phone],
      ['1280', desk],
    ] as const)
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, browserErrors, close } = await stack.open({ ...size, colorScheme })
        await page.goto(`${stack.baseUrl}/v${fragment}`)
        await page.locator('main h1').first().waitFor()
        await page.locator('.skeleton').first().waitFor({ state: 'detached' })
        // Chromium logs responses with 403 or 404.
        expect(browserErrors.filter((text) => !/40[34]/.test(text))).toEqual([])
        if (name === 'expired')
          expect(await page.locator('main').innerText()).toMatch(/Balance at expiry\s+\$\s*79\.60/)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        expect(await findCutText(page)).toEqual([])
        expect(await findSerious(page)).toEqual([])
        expect(await isWideAtTwice(page)).toBe(false)
        if (folder !== undefined) {
          mkdirSync(folder, { recursive: true })
          await page.screenshot({ path: resolve(folder, `holder-${name}-${width}-${colorScheme}.png`), fullPage: true })
        }
        await close()
      }
})

test('no log contains a code or a PIN', () => {
  const logs = stack.logs()
  expect(logs).toContain('/holder/voucher')
  for (const secret of secrets)
    for (const form of [secret, secret.replaceAll('-', ''), secret.toLowerCase()])
      expect(
        new RegExp(`(?<![0-9a-f-])${form}(?![0-9a-f-])`).test(logs),
        form.length === 4 ? 'the PIN' : 'a code',
      ).toBe(false)
})
