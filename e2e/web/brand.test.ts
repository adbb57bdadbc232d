// The brand of a shop, from the owner's screen to the page, the email and the paper of a customer.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bomb, picture, svg } from '../../server/local/test/images.ts'
import { findSerious, isWideAtTwice } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { expectFieldError } from './field-error.ts'
import { createPeople, password, type People } from './people.ts'
import { createStaff } from './staff.ts'
import { type Stack, startStack } from './stack.ts'

const SK = '/merchant-integrations-server'
const desk = { width: 1280, height: 900 }
const folder = mkdtempSync(join(tmpdir(), 'scrip-brand-'))

let stack: Stack
let people: People
beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  const hire = await createStaff(stack, people)
  await hire('Olu', 'Adeyemi', 'owner')
  await hire('Kim', 'Kasse', 'cashier')
  await stack.post('/sandbox/fund', { amount: 1_000, currency: 'USD' })
})
afterAll(() => stack.stop())

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

async function openAs(name: string, path: string, more: object = {}) {
  const opened = await stack.open({ viewport: desk, ...more })
  const { page } = opened
  await page.goto(`${stack.baseUrl}/dashboard/CORNER/test${path}`)
  await page.getByLabel('Email address').fill(`${name}@corner.example`)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await page.getByRole('navigation').first().waitFor()
  return opened
}

function save(name: string, bytes: Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

test('an owner uploads a logo, chooses a colour and an address; a wrong file is refused at its field', async () => {
  const { page, browserErrors, close } = await openAs('olu', '/settings')
  await page.getByRole('link', { name: 'Change brand' }).click()
  await says(page, 'No logo yet.')
  const file = page.getByLabel('Image file')
  await file.setInputFiles(save('logo.png', svg))
  await expectFieldError(page, 'Image file', 'This is not a PNG or JPEG image. Choose another file.')
  await file.setInputFiles(save('large.png', Buffer.alloc(1024 * 1024 + 1)))
  await says(page, /^This image is too large/)
  await file.setInputFiles(save('bomb.png', bomb({ width: 20_000, height: 20_000 })))
  await says(page, /^This image is too large/)
  // A JPEG under the name of a PNG: the bytes decide.
  await file.setInputFiles(save('logo.png', await picture({ width: 900, height: 300 }).jpeg().toBuffer()))
  await says(page, 'Logo saved.')
  const shown = page.getByRole('img', { name: 'Logo of Corner Books' })
  const path = (await shown.getAttribute('src')) ?? ''
  await expect.poll(() => page.evaluate(`document.querySelector('.brand-logo img').naturalWidth`)).toBe(512)
  const reply = await fetch(`${stack.baseUrl}${path}`)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await reply.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG')

  await page.getByLabel('Colour', { exact: true }).fill('red')
  await press(page, 'Save brand')
  await expectFieldError(page, 'Colour', 'Enter # and 6 digits or letters from a to f.')
  await press(page, 'Plum')
  expect(await page.getByLabel('Colour', { exact: true }).inputValue()).toBe('#6a2c70')
  await page.getByLabel('Postal address').fill('1 <b>High</b> Street\nLagos')
  await page.getByLabel('Tax number').fill('NG 123')
  await press(page, 'Save brand')
  await says(page, 'Brand saved.')
  expect((await stack.get(`${SK}/brand`)).data).toMatchObject({ logoUrl: path, accent: '#6a2c70', taxNumber: 'NG 123' })
  // The sign-in and the three refusals above are errors for the browser's console.
  expect(browserErrors.filter((each) => !/status of 4(01|22)/.test(each))).toEqual([])
  await close()
})

test('customers get it by email and on paper, and staff on receipts', async () => {
  const gift = { amount: 25, currency: 'USD', forEmail: 'ada@example.com', sendEmail: true }
  const { code } = (await stack.post(`${SK}/vouchers`, gift)).data as { code: string }
  const { attachments } = await people.mailTo('ada@example.com', /voucher/)
  const qr = attachments.find(({ contentId }) => contentId === '<qr@scrip>')
  const file = save('qr.png', Buffer.from(new Uint8Array(qr?.content as ArrayBuffer)))
  const read = execFileSync('zbarimg', ['-q', '--raw', file], { stdio: ['ignore', 'pipe', 'ignore'] })
  expect(read.toString().trim()).toBe(`${stack.baseUrl}/v#${code}`)

  const { id } = (await stack.post(`${SK}/voucher-batches`, { size: 12, amount: 5, currency: 'USD' })).data
  const batch = `${SK}/voucher-batches/${String(id)}`
  while ((await stack.get(batch)).data.status !== 'ready') await sleep(50)
  const sheet = Buffer.from(await (await stack.fetch(`${batch}/vouchers.pdf`)).arrayBuffer())
  const printed = execFileSync('pdftotext', ['-layout', save('sheet.pdf', sheet), '-']).toString()
  for (const text of ['1 <b>High</b> Street', 'Lagos', 'Tax number: NG 123']) expect(printed).toContain(text)
  // The picture is in the file once, for twelve tickets on two pages.
  expect(sheet.toString('latin1').match(/\/Width 512\b/g)).toHaveLength(1)

  const { page, close } = await openAs('kim', '/till')
  await page.keyboard.type(code.replaceAll('-', ''))
  await page.keyboard.press('Enter')
  await page.getByLabel(/Amount/).fill('5')
  await press(page, 'Continue')
  await press(page, 'Charge $5.00')
  await page.getByText('Paid', { exact: true }).waitFor()
  const slip = page.locator('.slip')
  expect(await slip.innerText()).toContain('1 <b>High</b> Street\nLagos')
  await says(page, 'Tax number: NG 123')
  await expect.poll(() => page.evaluate(`document.querySelector('.slip img').naturalWidth`)).toBe(512)
  await close()
})

test('a cashier has no screen for it, and a removed logo is gone', async () => {
  const cashier = await openAs('kim', '/account')
  await cashier.page.getByRole('heading', { name: 'Account' }).waitFor()
  expect(await cashier.page.getByRole('link', { name: 'Change brand' }).count()).toBe(0)
  await cashier.page.goto(`${stack.baseUrl}/dashboard/CORNER/test/settings/brand`)
  await cashier.page.getByRole('heading', { name: 'Page not found' }).first().waitFor()
  await cashier.close()

  const { page, close } = await openAs('olu', '/settings/brand')
  const path = (await page.getByRole('img', { name: 'Logo of Corner Books' }).getAttribute('src')) ?? ''
  await press(page, 'Remove logo')
  await says(page, 'Logo removed.')
  expect((await fetch(`${stack.baseUrl}${path}`)).status).toBe(404)
  await close()
})

test.for(['light', 'dark'] as const)('the screen has no serious fault and cuts no text in %s', async (colorScheme) => {
  const { page, close } = await openAs('olu', '/settings/brand', { colorScheme, viewport: { width: 390, height: 844 } })
  await page.getByLabel('Postal address').waitFor()
  expect(await findSerious(page)).toEqual([])
  expect(await findCutText(page)).toEqual([])
  expect(await isWideAtTwice(page)).toBe(false)
  if (process.env.SCREENS !== undefined)
    await page.screenshot({ path: join(process.env.SCREENS, `dashboard-brand-390-${colorScheme}.png`), fullPage: true })
  await close()
})
