// The room for developers and the command palette in a real browser, as each role.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { createPeople, type People, pin, until } from './people.ts'
import { settle } from './settle.ts'
import { type Stack, startStack } from './stack.ts'
import { hireTeam, type Member, type OpenAs, type Team } from './staff.ts'

const api = '/merchant-integrations'
type Role = 'owner' | 'developer' | 'cashier' | 'accountant'

let stack: Stack
let people: People
let team: Team
/** A merchant's server that receives webhooks. */
let receiver: Server
let receiverUrl = ''
let answer = 204
const received: { readonly headers: Record<string, string>; readonly body: string }[] = []

beforeAll(async () => {
  stack = await startStack({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  people = createPeople(stack)
  team = await hireTeam(stack, people)
  receiver = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString() })
      reply.writeHead(answer).end(answer === 503 ? 'closed for today' : '')
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
})
afterAll(async () => {
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
  await stack.stop()
})

const shop = (): string => `${stack.baseUrl}/dashboard/CORNER/test`
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const member = (title: string): Member => team.member(title)
const openAs: OpenAs = (title, path, options) => team.openAs(title, path, options)

const withoutSignIn = (errors: readonly string[]): string[] => errors.filter((each) => !/status of 401/.test(each))

/** Creates a key in the dashboard and returns it. */
async function createKey(page: Page, name: string, kind: 'Secret' | 'Public'): Promise<string> {
  await press(page, 'Create key')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: kind, exact: true }).click()
  await dialog.getByLabel('Your PIN').fill(pin)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await heading(page, 'Key created')
  const key = await page.getByRole('dialog').locator('code').innerText()
  await press(page, 'I have stored it')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return key
}

const callWith = (publicKey: string, secretKey: string, path: string, body?: object): Promise<Response> =>
  fetch(`${stack.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...{ authorization: `Bearer ${publicKey}`, 'x-api-private-key': secretKey },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

test('an owner creates keys that work, sees a secret key once, rotates one and revokes one', async () => {
  const { page, browserErrors, close } = await openAs('owner', '/developers/keys')
  const publicKey = await createKey(page, 'Web shop', 'Public')
  const secretKey = await createKey(page, 'Shop server', 'Secret')
  expect(publicKey).toMatch(/^pk_test_\w{49}$/)
  expect(secretKey).toMatch(/^sk_test_\w{49}$/)
  const balance = `${api}/fetch-balance?currencyAbbreviation=USD`
  expect((await callWith(publicKey, secretKey, balance)).status).toBe(200)
  const row = page.getByRole('row').filter({ hasText: 'Shop server' })
  await row.getByText(`sk_test_…${secretKey.slice(-4)}`).waitFor()
  expect(await page.content()).not.toContain(secretKey)

  await page.getByRole('button', { name: 'Rotate key Shop server' }).click()
  await page.getByLabel('Your PIN').fill('135791')
  await press(page, 'Rotate key')
  await says(page, 'Incorrect PIN')
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Rotate key')
  await heading(page, 'Key replaced')
  const next = await page.getByRole('dialog').locator('code').innerText()
  await press(page, 'I have stored it')
  // For a day both work.
  expect((await callWith(publicKey, secretKey, balance)).status).toBe(200)
  expect((await callWith(publicKey, next, balance)).status).toBe(200)

  await row
    .filter({ hasText: next.slice(-4) })
    .getByRole('button', { name: 'Revoke key Shop server' })
    .click()
  await page.getByLabel('Your PIN').fill(pin)
  await press(page, 'Revoke key')
  await says(page, 'Key Shop server revoked.')
  await row
    .filter({ hasText: next.slice(-4) })
    .getByText('No longer works')
    .waitFor()
  await until(async () => ((await callWith(publicKey, next, balance)).status === 401 ? true : undefined))
  expect(await findSerious(page)).toEqual([])
  expect(withoutSignIn(browserErrors).filter((each) => !/status of 403/.test(each))).toEqual([])
  await close()
})

test('a developer adds an endpoint, sends a test event, sees why its delivery failed, and sends it again', async () => {
  const { page, browserErrors, close } = await openAs('developer', '/developers')
  await heading(page, 'Integration checklist')
  const step = page.getByRole('listitem').filter({ hasText: 'Add a webhook endpoint in test mode' })
  await step.getByRole('link', { name: 'Add endpoint' }).click()
  await page.getByLabel('Endpoint URL').fill(receiverUrl)
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await heading(page, 'Signing secret')
  const secret = await page.getByRole('dialog').locator('code').innerText()
  await press(page, 'I have stored it')

  answer = 503
  await press(page, 'Send test event')
  await says(page, 'The test event is on its way.')
  await page.getByRole('row').filter({ hasText: 'merchant.webhook_test' }).getByRole('link').click()
  await page
    .getByText('Status 503')
    .waitFor({ timeout: 20_000 })
    .catch(async () => page.reload())
  await says(page, 'Status 503')
  await says(page, 'closed for today')
  expect(await findSerious(page)).toEqual([])
  await page.goto(`${shop()}/developers/webhooks`)
  await says(page, 'Failing')
  await says(page, /1 delivery has failed\. Last failure: Status 503\./)
  expect(await findSerious(page)).toEqual([])

  answer = 204
  await page.getByRole('link', { name: receiverUrl }).click()
  await page.getByRole('row').filter({ hasText: 'merchant.webhook_test' }).getByRole('link').click()
  await press(page, 'Send again')
  await says(page, 'The event is sent again.')
  await until(() => (received.length > 1 ? true : undefined))
  await page.reload()
  await says(page, 'Delivered')
  await says(page, 'Attempt 2')
  const last = received.at(-1)
  const verified = new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {}) as { id: string; type: string }
  expect(verified.type).toBe('merchant.webhook_test')
  expect(received[0]?.body).toBe(last?.body)

  await page.goto(`${shop()}/developers/events`)
  await page.getByRole('link', { name: 'merchant.webhook_test' }).first().click()
  const json = page.getByRole('region', { name: 'JSON' })
  await json.getByText(verified.id).waitFor()
  expect(JSON.parse(await json.innerText())).toEqual(JSON.parse(last?.body ?? ''))
  await page.getByRole('link', { name: receiverUrl }).click()
  await says(page, 'Attempt 2')

  await page.goto(`${shop()}/developers`)
  for (const done of ['Add a webhook endpoint in test mode', 'Receive an event'])
    await page.getByRole('listitem').filter({ hasText: done }).getByText('Done').waitFor({ state: 'attached' })
  expect(withoutSignIn(browserErrors)).toEqual([])
  await close()
})

test('an endpoint is edited, disabled, enabled and deleted, and its secret is rotated', async () => {
  const { page, close } = await openAs('developer', '/developers/webhooks?create')
  const url = `${receiverUrl}/second`
  await page.getByLabel('Endpoint URL').fill('shop.example')
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await says(page, 'Enter the address of your server')
  await page.getByLabel('Endpoint URL').fill(url)
  await page.getByRole('button', { name: 'Selected events' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await says(page, 'Select at least one event.')
  await page.getByLabel('voucher.*', { exact: true }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
  await heading(page, 'Signing secret')
  const secret = await page.getByRole('dialog').locator('code').innerText()
  await press(page, 'I have stored it')
  await says(page, 'voucher.*')
  await press(page, 'Disable')
  await says(page, /Endpoint disabled/)
  await press(page, 'Enable')
  await says(page, /Endpoint enabled/)
  await press(page, 'Edit endpoint')
  await page.getByLabel('Description').fill('the second one')
  await press(page, 'Save endpoint')
  await says(page, 'the second one')
  await press(page, 'Rotate secret')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  await heading(page, 'Signing secret')
  expect(await page.getByRole('dialog').locator('code').innerText()).not.toBe(secret)
  await press(page, 'I have stored it')
  await press(page, 'Delete endpoint')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete endpoint' }).click()
  await says(page, 'Endpoint deleted.')
  await page.getByRole('link', { name: url }).waitFor({ state: 'detached' })
  await close()
})

test('a request with a key is in the log a moment later, with its bodies and without its secrets', async () => {
  const issued = await stack.post('/sandbox/vouchers', { amount: 50, currency: 'USD', lockPin: '4711' })
  const voucherCode = issued.data.code as string
  const redemption = { voucherCode, amount: 12.5, lockPin: '4711', referenceId: 'logged-1' }
  expect((await stack.post(`${api}/redeem-voucher`, redemption)).code).toBe(200)
  await stack.post(`${api}/redeem-voucher`, { ...redemption, amount: 1_000, referenceId: 'logged-2' })
  for (const role of ['developer', 'owner'] as const) {
    const { page, browserErrors, close } = await openAs(role, '/developers/requests')
    await page.getByRole('row').filter({ hasText: 'logged-2' }).getByText('402').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('Successful')
    await page.getByRole('row').filter({ hasText: 'logged-2' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Reference or request ID').fill('logged-1')
    await page.keyboard.press('Enter')
    await page.getByRole('row').filter({ hasText: 'logged-2' }).waitFor({ state: 'detached' })
    expect(await findSerious(page)).toEqual([])
    await page.getByRole('row').filter({ hasText: 'logged-1' }).getByRole('link').click()
    const sent = page.getByRole('region', { name: 'Request body' })
    expect(JSON.parse(await sent.innerText())).toEqual({
      ...redemption,
      ...{ voucherCode: '[hidden]', lockPin: '[hidden]' },
    })
    expect(await page.getByRole('region', { name: 'Response body' }).innerText()).toContain('"logged-1"')
    expect(await page.content()).not.toContain(voucherCode)
    expect(await findSerious(page)).toEqual([])
    expect(withoutSignIn(browserErrors)).toEqual([])
    await close()
  }
})

test('a developer issues a test voucher and answers a payment request in the sandbox', async () => {
  const ada = await people.signUp('ada@example.com', 'ada')
  const { page, close } = await openAs('developer', '/developers/sandbox')
  const form = (name: string) => page.getByRole('form', { name })
  await form('Issue a test voucher').getByLabel('Amount').fill('abc')
  await form('Issue a test voucher').getByRole('button', { name: 'Issue voucher' }).click()
  await says(page, 'Enter an amount, e.g. 12.50.')
  await form('Issue a test voucher').getByLabel('Amount').fill('30')
  await form('Issue a test voucher').getByRole('button', { name: 'Issue voucher' }).click()
  const code = await form('Issue a test voucher').locator('code').innerText()
  const verified = await stack.post(`${api}/verify-voucher`, { voucherCode: code })
  expect(verified.data.balance).toBe(30)

  const fund = form('Add test money')
  await fund.getByLabel('Account').selectOption('A user’s wallet')
  await fund.getByLabel('User').fill('ada@example.com')
  await fund.getByRole('button', { name: 'Add money' }).click()
  await says(page, 'The money is there.')
  for (const reference_id of ['asked-1', 'asked-2'])
    await stack.post(`${api}/payment-request`, {
      ...{ amount: 8, currency: 'USD', user_identifier: 'ada@example.com', reference_id },
    })
  const answering = form('Answer a payment request')
  await answering.getByLabel('Reference').fill('asked-1')
  await answering.getByRole('button', { name: 'Authorise' }).click()
  await says(page, 'The user has paid.')
  await answering.getByLabel('Reference').fill('asked-2')
  await answering.getByRole('button', { name: 'Decline' }).click()
  await says(page, 'The user has declined.')
  const status = async (reference: string): Promise<unknown> =>
    (await stack.get(`/merchant-integrations-server/verify-transaction/${reference}`)).data.status
  expect([await status('asked-1'), await status('asked-2')]).toEqual(['COMPLETED', 'FAILED'])
  const wallet = (await ada.get('/wallet')).data as unknown as { balances: readonly object[] }
  expect(wallet.balances).toMatchObject([{ currency: 'USD', available: '992.00' }])
  expect(await findSerious(page)).toEqual([])
  await close()
})

test('cashiers and accountants have no developers page, and the API refuses them its data', async () => {
  const paths = ['keys', 'events', 'event-types', 'webhook-health', 'requests', 'integration-checklist']
  for (const role of ['cashier', 'accountant'] as const) {
    for (const path of paths) {
      const reply = await member(role).get(`/merchant/${path}`)
      expect([path, reply.code, reply.error?.code]).toEqual([path, 403, 'ROLE_FORBIDDEN'])
    }
    for (const path of ['/merchant/keys', '/webhook-endpoints', '/sandbox/fund'])
      expect((await member(role).post(path)).error?.code).toBe('ROLE_FORBIDDEN')
    const { page, close } = await openAs(role, '/developers')
    await heading(page, 'Page not found')
    expect(await page.getByRole('link', { name: 'Developers' }).count()).toBe(0)
    await close()
  }
})

const typeInPalette = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find or go to' }).waitFor()
  await page.keyboard.type(text)
}

test('the command palette searches, goes and acts by keyboard alone', async () => {
  const issued = await stack.post('/merchant-integrations-server/voucher-sales', {
    ...{ amount: 25, currency: 'USD', tender: 'cash' },
  })
  const code = ((issued.data.voucher ?? {}) as { code: string }).code
  await stack.post(`${api}/redeem-voucher`, { voucherCode: code, amount: 5, referenceId: 'order_1001' })
  await stack.post('/merchant-integrations-server/add-new-customer', { email: 'zoe@example.com', name: 'Zoë Palette' })
  const { page, browserErrors, requests, close } = await openAs('owner', '/day')
  await settle(page)
  expect(requests.some((url) => /palette-[\w-]+\.js/.test(url) && !/button/.test(url))).toBe(false)

  await typeInPalette(page, 'order_1001')
  await page.getByRole('menuitem', { name: 'Voucher redeemed' }).waitFor()
  await until(async () =>
    (await page.locator('.palette-item[data-focused]').innerText()).startsWith('Voucher redeemed') ? true : undefined,
  )
  expect(await findSerious(page)).toEqual([])
  // The field keeps the focus, and names the option for screen readers.
  const described = await page.evaluate<string>('document.activeElement?.getAttribute("aria-activedescendant") ?? ""')
  expect(described).not.toBe('')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/payments/order_1001')

  await typeInPalette(page, code.slice(-4))
  await page
    .getByRole('menuitem', { name: `Voucher ··${code.slice(-4)}` })
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // A whole code never appears in an address.
  await typeInPalette(page, code)
  await page
    .getByRole('menuitem', { name: `Voucher ··${code.slice(-4)}` })
    .first()
    .waitFor()
  expect(requests.filter((url) => url.includes(code) || url.includes(code.replaceAll('-', '')))).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')

  await typeInPalette(page, 'zoe')
  await page.getByRole('menuitem', { name: /Zoë Palette/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')

  await typeInPalette(page, 'sell voucher')
  await until(async () =>
    (await page.locator('.palette-item[data-focused]').innerText()) === 'Sell voucher' ? true : undefined,
  )
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sell')
  await typeInPalette(page, 'approv')
  await page.getByRole('menuitem', { name: 'Approvals' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')

  // This could be the beginning of a code, so that nothing is requested before Enter.
  await typeInPalette(page, 'GIFT-1234')
  const focused = page.locator('.palette-item[data-focused]', { hasText: 'Search payments for “GIFT-1234”' })
  await focused.waitFor()
  await settle(page)
  expect(requests.filter((url) => url.includes('GIFT'))).toEqual([])
  await page.keyboard.press('Enter')
  await page.waitForURL('**/payments?search=GIFT-1234')
  expect(withoutSignIn(browserErrors)).toEqual([])
  await close()
})

test('the command palette offers each role what it may do, and nothing else', async () => {
  const offered = async (role: Role): Promise<string[]> => {
    const { page, close } = await openAs(role)
    await settle(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('menuitem').first().waitFor()
    const names = await page.getByRole('menuitem').allInnerTexts()
    await close()
    return names
  }
  expect(await offered('cashier')).toEqual([
    ...['Charge voucher', 'Sell voucher', 'Request payment', 'Switch cashier', 'Switch to live mode'],
    ...['Till', 'Payment requests', 'Daily report', 'Account'],
  ])
  expect(await offered('developer')).toEqual([
    ...['Create API key', 'Add webhook endpoint', 'Issue a test voucher', 'Switch to live mode'],
    ...['Home', 'Payments', 'Developers', 'Account'],
  ])
  expect(await offered('accountant')).toEqual([
    ...['Sell voucher', 'Issue voucher', 'Issue many vouchers', 'Import vouchers', 'Refund payment'],
    ...['Send payout', 'Pay a file', 'Import customers', 'Switch to live mode'],
    ...['Home', 'Payments', 'Vouchers', 'Payment requests', 'Payouts', 'Deposits to review', 'Invoices', 'Customers'],
    ...['Approvals', 'Daily report', 'Reports', 'Settings', 'Account'],
  ])
  const all = ['cashier', 'developer', 'accountant'] as const
  const owner = await offered('owner')
  for (const role of all) expect(owner).toEqual(expect.arrayContaining(await offered(role)))
  for (const name of ['Team', 'Settings', 'Audit log', 'Brand', 'Locations and registers'])
    expect(owner).toContain(name)
})

type Events = { readonly events: readonly { readonly id: string; readonly position: string }[] }

test('the pages fit a phone in French in the dark, and twice the text size', async () => {
  const { get } = member('developer')
  const [endpoint] = (await get('/webhook-endpoints')).data as unknown as { id: string }[]
  const { events } = (await get('/merchant/events?type=merchant.webhook_test')).data as unknown as Events
  const { requests } = (await get('/merchant/requests')).data as unknown as { requests: { id: string }[] }
  const [event, request] = [events[0], requests[0]]
  if (endpoint === undefined || event === undefined || request === undefined) throw new Error('A page has nothing.')
  const rooms = [
    ...['', '/keys', '/webhooks', '/events', '/requests', '/sandbox'],
    ...[`/webhooks/${endpoint.id}`, `/webhooks/${endpoint.id}/${event.id}`],
    ...[`/events/${event.position}`, `/requests/${request.id}`],
  ]
  const french = await openAs('developer', '/developers', {
    ...{ viewport: { width: 390, height: 844 }, locale: 'fr-FR', colorScheme: 'dark' },
  })
  for (const room of rooms) {
    await french.page.goto(`${shop()}/developers${room}`)
    await settle(french.page)
    expect([room, await findSerious(french.page)]).toEqual([room, []])
    const isWide = await french.page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth + 1')
    expect([room, isWide]).toEqual([room, false])
    expect([room, await isWideAtTwice(french.page)]).toEqual([room, false])
  }
  await french.page.getByRole('button', { name: 'Trouver ou aller à' }).click()
  await french.page.getByRole('menuitem').first().waitFor()
  expect(await findSerious(french.page)).toEqual([])
  expect(await isWideAtTwice(french.page)).toBe(false)
  await french.close()
})
