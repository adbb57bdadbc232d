// The settings of a shop: the owner changes them with a one-time code, and an accountant reads them.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { createPeople } from './people.ts'
import { createOpenAs, createStaff, enrol, type Member, type OpenAs } from './staff.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
let openAs: OpenAs
let readCode: () => string
const members = new Map<string, Member>()
beforeAll(async () => {
  stack = await startStack()
  const hire = await createStaff(stack, createPeople(stack))
  readCode = await enrol(await hire('Olu', 'Adeyemi', 'owner'))
  openAs = createOpenAs(stack, { olu: readCode })
  members.set('ann', await hire('Ann', 'Owusu', 'accountant'))
  members.set('kim', await hire('Kim', 'Kasse', 'cashier'))
  members.set('dev', await hire('Dev', 'Nkosi', 'developer'))
})
afterAll(() => stack.stop())

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('an owner changes the name and the time zone of the shop, and where its emails go', async () => {
  const { page, browserErrors, close } = await openAs('olu', '/settings')
  await press(page, 'Change shop')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name for customers').fill('Corner Books & Toys')
  await dialog.getByLabel('Time zone').selectOption('Africa/Lagos')
  await dialog.getByLabel('One-time code').fill('000000')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.getByText(/Incorrect or expired code/).waitFor()
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await says(page, 'Settings saved.')
  await page.locator('.frame-shop', { hasText: 'Corner Books & Toys' }).first().waitFor()
  await press(page, 'Change notifications')
  await dialog.getByLabel('Email address').fill('books@corner.example')
  await dialog.getByLabel('One-time code').fill(readCode())
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await says(page, 'books@corner.example')
  expect((await members.get('ann')?.get('/merchant/settings'))?.data).toMatchObject({
    tradingName: 'Corner Books & Toys',
    timeZone: 'Africa/Lagos',
    contactEmail: 'books@corner.example',
  })
  expect(await findSerious(page)).toEqual([])
  expect(browserErrors.filter((each) => !/status of 40[13]/.test(each))).toEqual([])
  await close()
})

test('an owner decides who pays the fees, and the settings lead to brand, locations and limits', async () => {
  const { page, close } = await openAs('olu', '/settings')
  await says(page, 'The voucher of the customer')
  for (const fee of [/^\$0\.10$/, /^1\.5%$/]) await page.getByRole('definition').filter({ hasText: fee }).waitFor()
  await page.getByRole('switch', { name: 'Pay fees from the fee balance' }).click()
  await says(page, 'Your fee balance pays the fees from now on.')
  expect((await stack.get('/merchant-integrations/fetch-admin-charges')).data.takeChargesFromWallet).toBe(true)
  for (const [link, heading] of [
    ['Change brand', 'Brand'],
    ['Manage locations', 'Locations and registers'],
    ['Open limits', 'Approvals'],
  ] as const) {
    await page.getByRole('link', { name: link }).click()
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  }
  await close()
})

test('an accountant reads the settings, and cashiers and developers have none', async () => {
  const ann = await openAs('ann', '/settings')
  await says(ann.page, 'Corner Books & Toys')
  for (const name of ['Change shop', 'Change notifications'])
    expect(await ann.page.getByRole('button', { name }).count()).toBe(0)
  expect(await ann.page.getByRole('switch', { name: 'Pay fees from the fee balance' }).count()).toBe(0)
  await ann.close()
  expect((await members.get('ann')?.post('/merchant/settings', { timeZone: 'UTC' }))?.code).toBe(403)
  const kim = await openAs('kim', '/settings')
  await says(kim.page, 'Page not found')
  await kim.close()
  for (const name of ['kim', 'dev']) expect((await members.get(name)?.get('/merchant/settings'))?.code).toBe(403)
})

test('the audit log says in plain sentences who changed what, filters by person, and is exported', async () => {
  const { page, close } = await openAs('olu', '/audit')
  await page
    .getByRole('row', { name: /Changed the settings of the shop/ })
    .first()
    .getByText('Olu Adeyemi')
    .waitFor()
  await says(page, 'Tried, and was refused: Changed the settings of the shop')
  await page.getByLabel('Who', { exact: true }).selectOption({ label: 'API keys' })
  await page
    .getByRole('row', { name: /Changed the settings of the shop/ })
    .first()
    .waitFor({ state: 'detached' })
  expect(page.url()).toContain('who=keys')
  await press(page, 'Clear filters')
  await page
    .getByRole('row', { name: /Changed who pays fees/ })
    .first()
    .waitFor()
  expect(await findSerious(page)).toEqual([])
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
  expect(download.suggestedFilename()).toBe('test-audit-log.csv')
  await close()
  for (const name of ['ann', 'kim', 'dev']) expect((await members.get(name)?.get('/merchant/acts'))?.code).toBe(403)
})

test('the settings and the audit log fit a phone and twice the font size, in French too', async () => {
  for (const path of ['/settings', '/audit'])
    for (const locale of ['en-GB', 'fr-FR']) {
      const { page, close } = await openAs('olu', path, { viewport: { width: 390, height: 844 }, locale })
      await page.locator('.loaded').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
      expect(await findSerious(page), path).toEqual([])
      expect(await isWideAtTwice(page), path).toBe(false)
      await close()
    }
})
