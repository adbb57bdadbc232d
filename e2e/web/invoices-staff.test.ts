// Invoices in the dashboard: an accountant receives, reviews, approves, pays and rejects them.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { createPeople, type People, pin } from './people.ts'
import { createOpenAs, createStaff, type Member, type OpenAs } from './staff.ts'
import { type Stack, startStack } from './stack.ts'

const server = '/merchant-integrations-server'

let stack: Stack
let people: People
let openAs: OpenAs
let cashier: Member
let developer: Member
beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  openAs = createOpenAs(stack)
  const hire = await createStaff(stack, people)
  await hire('Olu', 'Adeyemi', 'owner')
  await hire('Ann', 'Owusu', 'accountant')
  cashier = await hire('Kim', 'Kasse', 'cashier')
  developer = await hire('Dev', 'Nkosi', 'developer')
  await stack.post('/sandbox/fund', { amount: 1_000, currency: 'USD' })
})
afterAll(() => stack.stop())

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

async function submit(unitPrice: number, fullName = 'Sam Supplier'): Promise<string> {
  const response = await stack.post(`${server}/create-invoice`, {
    ...{ currencyAbbreviation: 'USD', invoiceDate: '2030-01-01', dueDate: '2030-01-31' },
    ...{ email: 'sam@supplier.example', fullName, merchantCode: 'CORNER', senderAddress: '1 High Street\nLagos' },
    invoiceItems: [{ description: 'Paper', quantity: 2, unitPrice }],
    taxes: [{ name: 'VAT', rate: 10 }],
  })
  expect(response.code).toBe(200)
  return String(response.data.id)
}

test('an accountant chooses the currencies, and the public link opens the form of the shop', async () => {
  const { page, close } = await openAs('ann', '/invoices/receive')
  await says(page, /You accept no invoices/)
  await page.getByRole('checkbox', { name: 'USD US dollar', exact: true }).check()
  await press(page, 'Save currencies')
  await says(page, 'Currencies saved.')
  await page.getByRole('img', { name: 'QR code of your public link' }).waitFor()
  const url = await page.locator('.invoice-url').innerText()
  const visitor = await stack.open()
  await visitor.page.goto(url)
  await visitor.page.getByRole('heading', { name: /Corner Books/ }).waitFor()
  await visitor.close()
  expect(await findSerious(page)).toEqual([])
  await close()
})

test('an accountant reviews an invoice and approves it with the PIN; its sender gets a voucher for the exact total', async () => {
  const id = await submit(6.25)
  const { page, browserErrors, close } = await openAs('ann', '/invoices')
  await page.getByRole('link', { name: 'Sam Supplier' }).click()
  await says(page, 'Paper')
  await says(page, 'VAT (10 %)')
  await page.getByText('$13.75').first().waitFor()
  await says(page, /You have not paid this sender before/)
  await press(page, 'Approve invoice')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('$986.25').waitFor()
  await dialog.getByLabel('Your PIN').fill(pin)
  await dialog.getByRole('button', { name: 'Approve and pay $13.75' }).click()
  await says(page, 'Invoice paid: $13.75 has left your balance.')
  await page.locator('.timeline').getByText('by Ann Owusu').first().waitFor()
  await people.mailTo('sam@supplier.example', /approved your invoice/)
  expect((await stack.get(`${server}/invoices/${id}`)).data.paidAt).not.toBe('')
  expect(await findSerious(page)).toEqual([])
  expect(browserErrors.filter((each) => !/status of 401/.test(each))).toEqual([])
  await close()
})

test('a rejection needs a reason, which the sender gets by email', async () => {
  await submit(3, 'Rita Wrong')
  const { page, close } = await openAs('olu', '/invoices?state=pending')
  await page.getByRole('link', { name: 'Rita Wrong' }).click()
  await press(page, 'Reject invoice')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reject invoice' }).click()
  await dialog.getByText('Enter a reason.').waitFor()
  await dialog.getByLabel('Reason').fill('Not our order')
  await dialog.getByRole('button', { name: 'Reject invoice' }).click()
  await says(page, 'Invoice rejected. Its sender is informed.')
  expect((await people.mailTo('sam@supplier.example', /rejected your invoice/)).text).toContain('Not our order')
  await close()
})

test('an invoice above the balance is approved without payment, and paid once the balance covers it', async () => {
  await submit(5_000, 'Lena Large')
  const { page, close } = await openAs('ann', '/invoices')
  await page.getByRole('link', { name: 'Lena Large' }).click()
  await press(page, 'Approve invoice')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/Your balance does not cover this invoice/).waitFor()
  await dialog.getByLabel('Your PIN').fill(pin)
  await dialog.getByRole('button', { name: 'Approve invoice' }).click()
  await says(page, /The invoice is approved and unpaid/)
  await stack.post('/sandbox/fund', { amount: 11_000, currency: 'USD' })
  await press(page, 'Pay invoice')
  await dialog.getByLabel('Your PIN').fill(pin)
  await dialog.getByRole('button', { name: 'Pay $11,000.00' }).click()
  await says(page, 'Invoice paid: $11,000.00 has left your balance.')
  await close()
})

test('cashiers and developers have no invoices in their navigation, and the API refuses them', async () => {
  const { page, close } = await openAs('kim', '/invoices')
  await says(page, 'Page not found')
  expect(await page.getByRole('link', { name: 'Invoices' }).count()).toBe(0)
  for (const member of [cashier, developer]) expect((await member.get('/merchant/invoices')).code).toBe(403)
  await close()
})

test('the invoice pages fit a phone and twice the font size, in French too', async () => {
  const id = await submit(4)
  for (const path of ['/invoices', `/invoices/${id}`, '/invoices/receive'])
    for (const locale of ['en-GB', 'fr-FR']) {
      const { page, close } = await openAs('olu', path, { viewport: { width: 390, height: 844 }, locale })
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.locator('.loaded').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
      expect(await findSerious(page), path).toEqual([])
      expect(await isWideAtTwice(page), path).toBe(false)
      await close()
    }
})
