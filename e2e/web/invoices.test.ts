// An outsider's invoice from the form to the wallet: a real browser, real emails, and every unit traced through the ledger.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPeople, type People } from './people.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
let people: People
beforeAll(async () => {
  stack = await startStack()
  people = createPeople(stack)
  await stack.post(`${server}/invoice-currencies`, { currencies: ['USD', 'ETH'] })
})
afterAll(() => stack.stop())

const server = '/merchant-integrations-server'
const email = 'ivy@example.com'
const phone = { viewport: { width: 390, height: 780 } }

type Listed = { id: string; invoiceNumber: string; status: string; totalAmount: number }
const listed = async (): Promise<Listed[]> => (await stack.get(`${server}/fetch-invoice`)).data.invoices as Listed[]

async function fillIn(page: Page): Promise<void> {
  await page.goto(`${stack.baseUrl}/invoice?to=corner&mode=test`)
  await page.getByLabel('Your name').fill('Ivy Ødegård')
  await page.getByLabel('Your email').fill(email)
  await page.getByLabel('Description').fill('Reading aloud to children, three Saturdays')
  await page.getByLabel('Quantity').fill('3')
  await page.getByLabel('Unit price').fill('0.1')
  await page.getByRole('button', { name: 'Add a line' }).click()
  // The new line has the focus.
  await page.keyboard.type('Tea and biscuits')
  const second = page.getByRole('group', { name: 'Line 2' })
  await second.getByLabel('Unit price').fill('2.35')
}

const total = (page: Page) => page.locator('.invoice-total')

test('an outsider submits, the merchant approves, and the voucher is redeemed into a wallet, exact to the unit', async () => {
  await stack.post('/sandbox/fund', { amount: 100, currency: 'USD' })
  const { page, browserErrors, requests, close } = await stack.open(phone)
  await fillIn(page)
  expect(await total(page).innerText()).toMatch(/Total\s+\$2\.65/)
  // Double click.
  await page.getByRole('button', { name: 'Send invoice' }).dblclick()
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()
  const [invoice, ...others] = await listed()
  expect(others).toEqual([])
  expect(invoice).toMatchObject({ status: 'Pending', totalAmount: 2.65 })
  const { id = '', invoiceNumber = '' } = invoice ?? {}

  const notice = await people.mailTo('owner@corner.example', /You received an invoice/)
  expect(notice.text).toContain(invoiceNumber)
  expect(notice.text).not.toContain('/invoice#')
  const received = await people.mailTo(email, /Corner Books received your invoice/)
  const link = /http\S+\/invoice#[\w.-]+/.exec(received.text ?? '')?.[0] ?? ''
  await page.goto(link)
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download PDF' }).click(),
  ])
  const file = join(await mkdtemp(join(tmpdir(), 'scrip-invoice-')), 'invoice.pdf')
  await download.saveAs(file)
  const printed = execFileSync('pdftotext', ['-layout', file, '-']).toString()
  for (const words of [invoiceNumber, 'Ivy Ødegård', 'Corner Books', 'three Saturdays', 'Tea and biscuits', '2.65'])
    expect(printed).toContain(words)

  expect((await stack.post(`${server}/approve-invoice`, { invoiceID: id })).code).toBe(200)
  // The open page updates by itself.
  await page.getByRole('heading', { name: 'Paid' }).waitFor()
  expect(browserErrors).toEqual([])
  const token = link.split('#')[1] ?? ''
  expect(requests.filter((url) => url.split('#')[0]?.includes(token))).toEqual([])
  await close()

  const voucher = await people.mailTo(email, /sent you a voucher/)
  const code = /\/v#([\w-]+)/.exec(voucher.text ?? '')?.[1] ?? ''
  const ivy = await people.signUp(email, 'ivy')
  // It is already in the wallet of this address.
  const { vouchers } = (await ivy.get('/wallet/vouchers')).data as unknown as { vouchers: object[] }
  expect(vouchers).toMatchObject([{ code, currency: 'USD', amount: '2.65', balance: '2.65', isGiven: false }])
  expect((await ivy.post('/wallet/vouchers/redeem', { code })).data).toMatchObject({ amount: '2.65' })

  const { rows } = await stack.query(
    `select j.kind, t.from_kind as "from", t.to_kind as "to", t.amount::text as amount
      from invoices i join ledger_transfers t on i.voucher_id in (t.from_owner, t.to_owner)
      join ledger_journals j on j.id = t.journal_id where i.id = $1 order by j.id`,
    [id],
  )
  expect(rows).toEqual([
    { kind: 'invoice.pay', from: 'merchant', to: 'voucher', amount: '265' },
    { kind: 'voucher.redeem', from: 'voucher', to: 'wallet', amount: '265' },
  ])
  const { balances } = (await ivy.get('/wallet')).data as unknown as { balances: object[] }
  expect(balances).toMatchObject([{ currency: 'USD', available: '2.65' }])
  for (const secret of [token, code, email]) expect(stack.logs()).not.toContain(secret)
})

test('a lost response does no harm: a second press sends the same invoice', async () => {
  const before = (await listed()).length
  const { page, close } = await stack.open(phone)
  let isResponseLost = true
  await page.route('**/invoice/submit', async (route) => {
    const reply = await route.fetch()
    if (isResponseLost) await route.abort()
    else await route.fulfill({ response: reply })
    isResponseLost = false
  })
  await fillIn(page)
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByText('it is submitted only once').waitFor()
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()
  expect((await listed()).length).toBe(before + 1)
  await close()
})

test('the reason of a refusal disappears once the invoice changes', async () => {
  const { page, close } = await stack.open(phone)
  const refused = { message: 'Too many.', error: { code: 'INVOICES_TOO_MANY' } }
  await page.route('**/invoice/submit', (route) => route.fulfill({ status: 422, json: refused }))
  await fillIn(page)
  await page.getByRole('button', { name: 'Send invoice' }).click()
  const notice = page.getByText('Too many invoices are pending.')
  await notice.waitFor()
  await page.getByLabel('Description').first().fill('Something else')
  expect(await notice.count()).toBe(0)
  await close()
})

test('the dates of an invoice are in the language of the page, whatever the browser’s language', async () => {
  const labels = async (locale: string): Promise<string> => {
    const { page, close } = await stack.open({ ...phone, locale })
    await page.goto(`${stack.baseUrl}/invoice?to=CORNER&mode=test`)
    await page.locator('.invoice-date').first().waitFor()
    expect(await page.locator('input[type=date]').count()).toBe(0)
    const text = await page.locator('.invoice-date option').allInnerTexts()
    await close()
    return text.slice(0, 12).join(' ')
  }
  expect(await labels('fr-FR')).toMatch(/^janvier février .* décembre$/)
  expect(await labels('de-DE')).toMatch(/^January February .* December$/)
  const { page, close } = await stack.open(phone)
  await fillIn(page)
  const due = page.getByRole('group', { name: 'Due date' })
  await due.getByLabel('Day').fill('31')
  await due.getByLabel('Month').selectOption('June')
  await due.getByLabel('Year').fill('2031')
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByText('Enter a day that exists.').waitFor()
  await due.getByLabel('Day').fill('30')
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByText('30 June 2031').waitFor()
  await close()
})

test('a missing field is explained next to it and gets the focus, and nothing is sent', async () => {
  const before = (await listed()).length
  const { page, browserErrors, close } = await stack.open(phone)
  await page.goto(`${stack.baseUrl}/invoice?to=CORNER&mode=test`)
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByText('Enter your name.').waitFor()
  await page.locator('[autocomplete=name]:focus').waitFor()
  await page.getByLabel('Unit price').fill('1.005')
  await page.getByText('Enter a price, e.g. 1.00.').waitFor()
  expect(browserErrors).toEqual([])
  expect((await listed()).length).toBe(before)
  await close()
})

test('line totals and the invoice total follow the currency, exact to the last digit', async () => {
  const { page, close } = await stack.open({ viewport: { width: 1280, height: 800 } })
  await fillIn(page)
  await page.getByLabel('Currency').selectOption('ETH')
  await page.getByLabel('Unit price').first().fill('0.000000000000000001')
  await page.getByLabel('Quantity').first().fill('2.5')
  // 2.5 of the smallest unit round to the even digit.
  expect(await total(page).innerText()).toMatch(/2\.350000000000000002\sETH/)
  await close()
})

const screens = process.env.SCREENS
test.runIf(screens !== undefined)('screenshots of the page', async () => {
  const shoot = (page: Page, name: string) =>
    page.screenshot({ path: join(screens ?? '', `invoice-${name}.png`), fullPage: true })
  await stack.post(`${server}/reject-invoice`, { invoiceID: (await listed())[0]?.id, reason: 'We had two Saturdays.' })
  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      const look = `${width}-${colorScheme}`
      const { page, close } = await stack.open({ viewport: { width, height: 800 }, colorScheme })
      await page.goto(`${stack.baseUrl}/invoice?to=CORNER&mode=test`)
      await page.getByRole('button', { name: 'Send invoice' }).click()
      await page.getByText('Enter your name.').waitFor()
      await shoot(page, `faults-${look}`)
      await page.goto(`${stack.baseUrl}/invoice?to=NOBODY&mode=test`)
      await page.getByRole('heading', { name: 'Shop not found' }).waitFor()
      await shoot(page, `unknown-${look}`)
      await fillIn(page)
      await shoot(page, `form-${look}`)
      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Send invoice' }).click()
      await page.getByRole('alert').waitFor()
      await shoot(page, `offline-${look}`)
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Send invoice' }).click()
      await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()
      await shoot(page, `pending-${look}`)
      const id = (await listed())[0]?.id ?? ''
      if (colorScheme === 'light') await stack.post(`${server}/approve-invoice`, { invoiceID: id })
      else await stack.post(`${server}/reject-invoice`, { invoiceID: id, reason: 'We had two Saturdays, not three.' })
      await page.reload()
      await page.getByRole('heading', { name: /Paid|Rejected/ }).waitFor()
      await shoot(page, `decided-${look}`)
      const pdf = await stack.fetch(`${server}/invoices/${id}/invoice.pdf`)
      const file = join(screens ?? '', `invoice-${look}.pdf`)
      writeFileSync(file, Buffer.from(await pdf.arrayBuffer()))
      expect(readFileSync(file).subarray(0, 4).toString()).toBe('%PDF')
      await close()
    }
})
