// A user's first day, over real HTTP, SMTP and webhooks, and the page that emailed links open, in a real browser.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectFieldError, focusedField, listWrongFields } from './field-error.ts'
import { createPeople, password, type People, pin, until } from './people.ts'
import { type Stack, startStack } from './stack.ts'

type PublishedEvent = { type: string; data: { reference: string } }

let stack: Stack
let people: People
const received: PublishedEvent[] = []
let secret = ''
const receiver = createServer((request, reply) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    received.push(new Webhook(secret).verify(body, request.headers as Record<string, string>) as PublishedEvent)
    reply.end()
  })
})
beforeAll(async () => {
  stack = await startStack({ WEBHOOK_NETWORKS: '127.0.0.1/32' })
  people = createPeople(stack)
  await new Promise<void>((ready) => void receiver.listen(0, '127.0.0.1', ready))
  const { port } = receiver.address() as AddressInfo
  const endpoint = await stack.post('/webhook-endpoints', { url: `http://127.0.0.1:${port}/hook` })
  secret = endpoint.data.secret as string
})
afterAll(async () => {
  receiver.close()
  await stack.stop()
})

const server = '/merchant-integrations-server'

const statusOf = async (reference: string): Promise<string> =>
  (await stack.get(`${server}/verify-transaction/${reference}`)).data.status as string
const untilReceived = (type: string, reference: string) =>
  until(() => received.find((event) => event.type === type && event.data.reference === reference))

test('a new user authorises and declines payment requests and lets others expire; the shop gets an event for each', async () => {
  const ada = await people.signUp('ada@example.com', 'ada')
  expect((await ada.post('/me/pin', { pin, password })).code).toBe(200)
  await stack.post('/sandbox/fund', { user: 'ada', amount: 50, currency: 'USD' })
  const requestPayment = async (reference_id: string): Promise<string> => {
    const about = { amount: 12.5, currency: 'USD', user_identifier: 'ada@example.com', metadata: { note: 'Books' } }
    expect((await stack.post('/merchant-integrations/payment-request', { ...about, reference_id })).code).toBe(200)
    const { requests } = (await ada.get('/wallet/payment-requests')).data as unknown as { requests: { id: string }[] }
    return requests[0]?.id ?? ''
  }
  const paid = await requestPayment('order-1')
  expect(await statusOf('order-1')).toBe('PENDING')
  expect((await ada.post(`/wallet/payment-requests/${paid}/authorise`, { pin })).code).toBe(200)
  expect(await statusOf('order-1')).toBe('COMPLETED')
  await untilReceived('payment.completed', 'order-1')

  const declined = await requestPayment('order-2')
  expect((await ada.post(`/wallet/payment-requests/${declined}/decline`)).code).toBe(200)
  expect(await statusOf('order-2')).toBe('FAILED')
  await untilReceived('payment.declined', 'order-2')

  const late = await requestPayment('order-3')
  await stack.query(
    `update payment_requests set expires_at = created.at from (
    select created_at as at from transactions where id = $1) created where id = $1`,
    [late],
  )
  await untilReceived('payment.canceled', 'order-3')
  expect(await statusOf('order-3')).toBe('CANCELED')
  expect((await ada.post(`/wallet/payment-requests/${late}/authorise`, { pin })).error?.code).toBe('PAYMENT_ENDED')

  await requestPayment('order-4')
  expect((await stack.post(`${server}/payment-requests/order-4/cancel`, {})).code).toBe(200)
  await untilReceived('payment.canceled', 'order-4')
  expect(await statusOf('order-4')).toBe('CANCELED')
  const { balances } = (await ada.get('/wallet')).data as unknown as { balances: { available: string }[] }
  expect(balances).toMatchObject([{ currency: 'USD', available: '37.50' }])
})

test('a gift bought for an unknown address is redeemed by that address’s new account', async () => {
  const ben = await people.signUp('ben@example.com', 'ben')
  await ben.post('/me/pin', { pin, password })
  await stack.post('/sandbox/fund', { user: 'ben', amount: 30, currency: 'USD' })
  const gift = { amount: 20, currency: 'USD', for: 'recipient@example.com', pin }
  expect((await ben.post('/wallet/vouchers', gift)).code).toBe(200)
  const mail = await people.mailTo('recipient@example.com', /sent you a voucher/)
  const code = /\/v#([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''
  const recipient = await people.signUp('recipient@example.com', 'recipient')
  expect((await recipient.post('/wallet/vouchers/redeem', { code })).data).toMatchObject({ amount: '20.00' })
})

test('a forgotten password is reset with the emailed link, and no secret is in a log', async () => {
  const ada = people.createVisitor('test')
  await ada.post('/auth/test/forgot', { email: 'ada@example.com' })
  const link = await people.linkTo('ada@example.com', /Reset your/)
  await people.follow(link, 'Change password', 'Password changed', { 'New password': 'another good one' })
  expect((await ada.signIn('ada@example.com')).code).toBe(401)
  await people.mailTo('ada@example.com', /was changed/)
  for (const word of [password, 'another good one', link.split('#')[1] ?? '', 'ada@example.com', pin])
    expect(stack.logs()).not.toContain(word)
})

test('an invited staff member joins on the page', async () => {
  const token = await invite('kim@example.com')
  await people.follow(token, 'Accept invitation', 'Invitation accepted', {
    'First name': 'Kim',
    Surname: 'Kasse',
    Password: password,
  })
  const kim = people.createVisitor('staff', { 'scrip-merchant': 'CORNER', 'scrip-mode': 'test' })
  expect((await kim.signIn('kim@example.com')).code).toBe(200)
  expect((await kim.get('/merchant-integrations/fetch-customers')).code).toBe(200)
  expect((await kim.get('/merchant/members')).error?.code).toBe('ROLE_FORBIDDEN')
})

test('a weak password, a missing name and a taken email address each mark their field on the page of a link', async () => {
  const link = await invite('mia@example.com')
  const { page, close } = await stack.open({ viewport: { width: 390, height: 780 } })
  await page.goto(link)
  const accept = () => page.getByRole('button', { name: 'Accept invitation' }).click()
  await accept()
  await expectFieldError(page, 'First name', 'Enter your first name.')
  await expectFieldError(page, 'Surname', 'Enter your surname.')
  await expectFieldError(page, 'Password', 'Choose at least 10 characters.')
  expect(await focusedField(page)).toBe('First name')
  await page.getByLabel('First name').fill('Mia')
  await page.getByLabel('Surname').fill('Kasse')
  await page.getByLabel('Password').fill('short')
  expect(await listWrongFields(page)).toEqual([])
  await accept()
  await expectFieldError(page, 'Password', 'Choose at least 10 characters.')
  expect(await listWrongFields(page)).toEqual(['Password'])
  await page.getByLabel('Password').fill(password)
  expect(await listWrongFields(page)).toEqual([])
  // The account appeared after the invitation was opened.
  const taken = { message: 'Known.', error: { code: 'ADDRESS_KNOWN' } }
  await page.route('**/auth/links/use', (route) => route.fulfill({ status: 409, json: taken }))
  await accept()
  const text = 'An account with this email address already exists. Sign in instead.'
  await expectFieldError(page, 'Email address', text)
  expect(await listWrongFields(page)).toEqual(['Email address'])
  await close()
})

async function invite(email: string): Promise<string> {
  const { rows } = await stack.query(`select id from merchants where code = 'CORNER'`, [])
  await stack.invite((rows[0] as { id: string }).id, email)
  return people.linkTo(email, /invites you/)
}

const screens = process.env.SCREENS
test.runIf(screens !== undefined)('screenshots of the page', async () => {
  const visitor = people.createVisitor('test')
  await visitor.post('/auth/test/sign-up', {
    email: 'zoe.adeyemi@example.com',
    username: 'zoe',
    surname: 'Adeyemi',
    otherNames: 'Zoe',
  })
  await visitor.post('/auth/test/forgot', { email: 'ben@example.com' })
  const links = {
    'sign-up': await people.linkTo('zoe.adeyemi@example.com', /confirm/),
    reset: await people.linkTo('ben@example.com', /Reset your/),
    invite: await invite('lee@example.com'),
    dead: `${stack.baseUrl}/link#${'x'.repeat(43)}`,
  }
  for (const [name, link] of Object.entries(links))
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, close } = await stack.open({ viewport: { width, height: 800 }, colorScheme })
        await page.goto(link)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await sleep(200)
        await page.screenshot({ path: join(screens ?? '', `link-${name}-${width}-${colorScheme}.png`), fullPage: true })
        if (name === 'reset' && colorScheme === 'light') {
          await page.getByRole('button', { name: 'Change password' }).click()
          await page.screenshot({ path: join(screens ?? '', `link-short-${width}.png`), fullPage: true })
          await page.context().setOffline(true)
          await page.getByLabel('New password').fill('long enough for all')
          await page.getByRole('button', { name: 'Change password' }).click()
          await page.getByRole('alert').waitFor()
          await page.screenshot({ path: join(screens ?? '', `link-offline-${width}.png`), fullPage: true })
        }
        await close()
      }
})
