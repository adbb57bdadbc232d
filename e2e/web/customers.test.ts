// Customers in the dashboard: an accountant adds, finds, changes, imports, exports and deletes them.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { createPeople, type People } from './people.ts'
import { createOpenAs, createStaff, type Member, type OpenAs } from './staff.ts'
import { type Stack, startStack } from './stack.ts'

const server = '/merchant-integrations-server'

let stack: Stack
let people: People
let openAs: OpenAs
const members = new Map<string, Member>()
beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  openAs = createOpenAs(stack)
  const hire = await createStaff(stack, people)
  await hire('Olu', 'Adeyemi', 'owner')
  members.set('Ann', await hire('Ann', 'Owusu', 'accountant'))
  members.set('Kim', await hire('Kim', 'Kasse', 'cashier'))
  members.set('Dev', await hire('Dev', 'Nkosi', 'developer'))
  await stack.post('/sandbox/fund', { amount: 1_000, currency: 'USD' })
})
afterAll(() => stack.stop())

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('an accountant adds a customer, finds it by a part of the name, changes and deletes it', async () => {
  const { page, browserErrors, close } = await openAs('ann', '/customers')
  await says(page, 'No customers yet')
  await press(page, 'Add customer')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add customer' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Name').fill('Zoë Grant')
  await dialog.getByLabel('Email').fill('zoe@example.com')
  await dialog.getByRole('button', { name: 'Add customer' }).click()
  await says(page, 'Zoë Grant added.')
  await press(page, 'Add customer')
  await dialog.getByLabel('Name').fill('Another')
  await dialog.getByLabel('Email').fill('ZOE@example.com')
  await dialog.getByRole('button', { name: 'Add customer' }).click()
  await dialog.getByText('Another customer has this email address.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Search customers').fill('oe gra')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Zoë Grant' }).click()
  await press(page, 'Edit customer')
  await dialog.getByLabel('Name').fill('Zoë Grant-Obi')
  await dialog.getByRole('button', { name: 'Save customer' }).click()
  await page.getByRole('heading', { name: 'Zoë Grant-Obi' }).waitFor()
  expect(await findSerious(page)).toEqual([])
  await press(page, 'Delete customer')
  await dialog.getByRole('button', { name: 'Delete customer' }).click()
  await says(page, 'Zoë Grant-Obi deleted.')
  await page.getByRole('link', { name: 'Zoë Grant-Obi' }).waitFor({ state: 'detached' })
  expect(browserErrors.filter((each) => !/status of (401|409|404)/.test(each))).toEqual([])
  await close()
})

test('a customer is shown with the vouchers that were sent to the address', async () => {
  const { id } = (await stack.post(`${server}/add-new-customer`, { email: 'ada@example.com', name: 'Ada Obi' })).data
  const issued = await stack.post(`${server}/vouchers`, {
    amount: 25,
    currency: 'USD',
    forEmail: 'ada@example.com',
    sendEmail: true,
  })
  expect(issued.code).toBe(200)
  const { page, close } = await openAs('ann', `/customers/${String(id)}`)
  await page.getByRole('cell', { name: '$25.00' }).waitFor()
  await says(page, 'No payments from a wallet with this address.')
  expect(await findSerious(page)).toEqual([])
  await close()
})

test('a file is checked, its bad lines are explained, and the corrected one is imported and exported', async () => {
  const { page, close } = await openAs('olu', '/customers/import')
  const file = (text: string) => page.getByLabel('Or paste it here').fill(text)
  await file('email,name\nnobody,Nobody\nben@example.com,Ben\nBEN@example.com,Benjamin\n')
  await press(page, 'Check file')
  await says(page, '2 lines need fixing:')
  await says(page, 'This is not an email address.')
  await says(page, 'The address is the same as in line 3.')
  expect(await findSerious(page)).toEqual([])
  await file('email,name\nada@example.com,Ada\nben@example.com,Ben\ncem@example.com,Cem\n')
  await press(page, 'Check file')
  await says(page, '2 new customers. 1 already in your list, skipped.')
  await press(page, 'Import 2 customers')
  await says(page, '2 customers imported.')
  await page.getByRole('link', { name: 'Customers', exact: true }).last().click()
  await page.getByRole('link', { name: 'Cem' }).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
  expect(download.suggestedFilename()).toBe('test-customers.csv')
  const csv = await readFile(await download.path(), 'utf8')
  expect(csv).toContain('ben@example.com,Ben,')
  // The known customer kept its name.
  expect(csv).toContain('ada@example.com,Ada Obi,')
  await close()
})

test('cashiers and developers have no customers page, and the API refuses them', async () => {
  const { page, close } = await openAs('kim', '/customers')
  await says(page, 'Page not found')
  for (const name of ['Kim', 'Dev'])
    for (const path of ['/merchant/customers', '/merchant/customers.csv'])
      expect((await members.get(name)?.get(path))?.code).toBe(403)
  await close()
})

test('the customer pages fit a phone and twice the font size, in French too', async () => {
  for (const path of ['/customers', '/customers/import'])
    for (const locale of ['en-GB', 'fr-FR']) {
      const { page, close } = await openAs('olu', path, { viewport: { width: 390, height: 844 }, locale })
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
      expect(await findSerious(page), path).toEqual([])
      expect(await isWideAtTwice(page), path).toBe(false)
      await close()
    }
})
