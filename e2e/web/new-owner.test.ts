// The first ten minutes of an owner, from the invitation to a redeemed voucher, with no other help than the pages and emails.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oneTimeCode } from '../../server/local/parts/one-time-code.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { createMerchant } from '../../server/src/identity/merchant/create-merchant.ts'
import { createPeople, type People, password, pin, until } from './people.ts'
import { type OpenPage, type Stack, startStack } from './stack.ts'

const email = 'nia@newshop.example'
const logo = join(import.meta.dirname, '../../server/local/demo/demo-logo.png')

let stack: Stack
let people: People
let opened: OpenPage
let page: Page
let readCode: () => string
let receiver: Server
const received: string[] = []
beforeAll(async () => {
  stack = await startStack({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  people = createPeople(stack)
  const names = { companyName: 'New Shop Ltd', tradingName: 'New Shop', description: '', avatar: '' }
  const profile = { code: 'NEWSHOP', ...names, homeCurrency: 'USD', timeZone: 'Africa/Accra' }
  const { merchantId } = await createMerchant(stack.pool, profile, systemClock, createIds(systemClock, systemRandom))
  await stack.invite(merchantId, email, 'owner')
  receiver = createServer((request, reply) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push(body)
      reply.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  opened = await stack.open({ viewport: { width: 1280, height: 900 } })
  page = opened.page
})
afterAll(async () => {
  receiver.close()
  await stack.stop()
})

const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const follow = (name: string) => page.getByRole('link', { name, exact: true }).first().click()
const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const dialog = () => page.getByRole('dialog')

test('the emailed link leads to a password, an authenticator app that is named, and the live shop', async () => {
  await page.goto(await people.linkTo(email, /invites you/))
  await page.getByLabel('First name').fill('Nia')
  await page.getByLabel('Surname').fill('Mensah')
  await page.getByLabel('Password').fill(password)
  await press('Accept invitation')
  await follow('Open the dashboard')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press('Sign in')
  await heading('Two-step sign-in')
  await says(/such as Google Authenticator/)
  await page.getByLabel('Your password').fill(password)
  await press('Set up authenticator app')
  const key = await page.locator('.facts code').innerText()
  readCode = () => oneTimeCode(key)
  await page.getByLabel('One-time code').fill(readCode())
  await press('Confirm code')
  await press('I have saved the codes')
  await heading('Home')
  expect(page.url()).toContain('/dashboard/NEWSHOP/live')
  expect(await page.getByRole('switch', { name: 'Test mode' }).getAttribute('aria-checked')).toBe('false')
})

test('the owner invites a cashier, who gets an email', async () => {
  await follow('Team')
  await press('Invite member')
  await dialog().getByLabel('Email address').fill('kofi@newshop.example')
  await dialog().getByLabel('One-time code').fill(readCode())
  await dialog().getByRole('button', { name: 'Send invitation' }).click()
  await says('Invitation sent to kofi@newshop.example.')
  expect(await people.linkTo('kofi@newshop.example', /New Shop invites you/)).toContain('/link#')
})

test('the owner saves a logo and a colour, and reads that test mode has its own', async () => {
  await follow('Settings')
  await page.getByText('Change brand').click()
  await says('This is the brand of live mode. Test mode has a brand of its own.')
  await page.getByLabel('Image file').setInputFiles(logo)
  await says('Logo saved.')
  await press('Plum')
  await press('Save brand')
  await says('Brand saved.')
})

test('the owner sets the first PIN in the dialog that asks for it, and creates both kinds of key', async () => {
  await follow('Developers')
  await page.getByText('Switch to test mode').first().click()
  await says('Test mode: no real money')
  await follow('Create key')
  await dialog().getByLabel('Name').fill('Shop server')
  await dialog().getByLabel('New PIN').fill(pin)
  await dialog().getByLabel('Your password').fill(password)
  await dialog().getByRole('button', { name: 'Set PIN' }).click()
  await dialog().getByLabel('Your PIN').fill(pin)
  // What was typed before is not lost.
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Shop server')
  await dialog().getByRole('button', { name: 'Create key' }).click()
  await says('Copy the key now and store it in a safe place. It is not shown again.')
  expect(await dialog().locator('code').innerText()).toMatch(/^sk_test_/)
  await press('I have stored it')
  await press('Create key')
  await dialog().getByLabel('Name').fill('Shop page')
  await dialog().getByRole('button', { name: 'Public', exact: true }).click()
  await dialog().getByLabel('Your PIN').fill(pin)
  await dialog().getByRole('button', { name: 'Create key' }).click()
  await says('Copy the key now, or later from the list of keys.')
  expect(await dialog().locator('code').innerText()).toMatch(/^pk_test_/)
  await press('I have stored it')
  await page.getByRole('row', { name: /Shop server/ }).waitFor()
})

test('a new endpoint opens with the button that sends a test event, which arrives', async () => {
  await follow('Webhooks')
  await press('Add endpoint')
  await page.getByLabel('Endpoint URL').fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/scrip`)
  await dialog().getByRole('button', { name: 'Add endpoint' }).click()
  await press('I have stored it')
  await press('Send test event')
  await says('The test event is on its way.')
  await until(() => received.find((body) => body.includes('merchant.webhook_test')))
  await page
    .getByRole('row', { name: /merchant\.webhook_test/ })
    .getByText('Delivered')
    .waitFor()
})

test('the owner sells a voucher for cash in test mode and redeems a part of it', async () => {
  await follow('Till')
  await page.getByText('Sell voucher').first().click()
  await press('$25.00')
  await press('Sell voucher for $25.00')
  await says('Voucher sold')
  const code = /[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3}/.exec(await page.locator('main').innerText())?.[0] ?? ''
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByLabel('Voucher code').fill(code)
  await press('Continue')
  await page.getByLabel('Amount (USD)').fill('10')
  await press('Continue')
  await press('Charge $10.00')
  await page.getByRole('button', { name: 'Next customer' }).waitFor()
  await says('Remaining balance')
  await says('$15.00')
  expect(opened.browserErrors.filter((each) => !/status of 40[13]/.test(each))).toEqual([])
})
