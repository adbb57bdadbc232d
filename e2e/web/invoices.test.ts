// An outsider's invoice from the form to the wallet: a real browser, real emails, and every unit traced through the ledger.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSerious, isWideAtTwice } from './axe.ts'
import { expectFieldError, focusedField } from './field-error.ts'
import { createPeople, password, type People } from './people.ts'
import { type Stack, startStack } from './stack.ts'
import { createStaff } from './staff.ts'

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

/** The text of the PDF that the page offers. */
async function readPdf(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download PDF' }).click(),
  ])
  const file = join(await mkdtemp(join(tmpdir(), 'scrip-invoice-')), 'invoice.pdf')
  await download.saveAs(file)
  return execFileSync('pdftotext', ['-layout', file, '-']).toString()
}

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

  const printed = await readPdf(page)
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

const dateField = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
async function typeDate(page: Page, name: string, digits: string): Promise<void> {
  await dateField(page, name).getByRole('spinbutton').first().click()
  await page.keyboard.type(digits)
}

test('the dates of an invoice are in the language of the page, whatever the browser’s language', async () => {
  const months = async (locale: string, due: string, digits: string): Promise<string> => {
    const { page, close } = await stack.open({ ...phone, locale })
    await page.goto(`${stack.baseUrl}/invoice?to=CORNER&mode=test`)
    await dateField(page, due).waitFor()
    // The browser's own field is there for the form only.
    expect(await page.locator('input[type=date]:not([aria-hidden=true] *)').count()).toBe(0)
    await typeDate(page, due, digits)
    await dateField(page, due).getByRole('button').click()
    const name = await page.getByRole('dialog').getByRole('heading').innerText()
    await close()
    return name
  }
  expect(await months('fr-FR', 'Date d’échéance', '30062031')).toBe('juin 2031')
  expect(await months('en-GB', 'Due date', '30062031')).toBe('June 2031')
  expect(await months('de-DE', 'Due date', '06302031')).toBe('June 2031')
})

test('a date that is missing or too early is marked, and a day that exists is sent', async () => {
  const { page, close } = await stack.open(phone)
  await fillIn(page)
  const send = () => page.getByRole('button', { name: 'Send invoice' }).click()
  const due = dateField(page, 'Due date')
  await due.getByRole('spinbutton').last().click()
  for (let i = 0; i < 4; i++) await page.keyboard.press('Backspace')
  await send()
  await page.getByText('Enter a day that exists.').waitFor()
  await due.locator('[role=spinbutton]:focus').waitFor()
  await typeDate(page, 'Due date', '01012001')
  await page.getByText('The due date cannot be before the invoice date.').waitFor()
  await typeDate(page, 'Due date', '30062031')
  await send()
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

const megabyte = 1024 * 1024
const fileOf = (name: string, content: string, size = 0) => ({
  name,
  mimeType: 'application/pdf',
  buffer:
    size === 0 ? Buffer.from(content) : Buffer.concat([Buffer.from(content), Buffer.alloc(size - content.length)]),
})
const scan = fileOf('scan für Ivy.pdf', '%PDF-1.7 a scan', 1.5 * megabyte)
const attach = (page: Page, ...files: ReturnType<typeof fileOf>[]) =>
  page.locator('input[type=file]').setInputFiles(files)
const addTax = async (page: Page, name: string, rate: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a tax' }).click()
  // The new tax has the focus.
  await page.keyboard.type(name)
  await page.getByLabel('Rate in %').last().fill(rate)
}
const sums = (page: Page) => page.locator('.invoice-sum').innerText()

test('taxes and a file go from the form to the staff, and the total with taxes is paid', async () => {
  await stack.post('/sandbox/fund', { amount: 100, currency: 'USD' })
  const { page, browserErrors, close } = await stack.open(phone)
  await fillIn(page)
  await page.getByLabel('Your postal address').fill('1 Long Street\nLagos')
  await page.getByLabel('Your invoice number').fill('A-7')
  await addTax(page, 'VAT', '19')
  await addTax(page, 'Levy', '2')
  expect(await sums(page)).toMatch(
    /Net\s+\$2\.65\s+VAT \(19\s%\)\s+\$0\.50\s+Levy \(2\s%\)\s+\$0\.05\s+Total\s+\$3\.20/,
  )
  await page.getByRole('button', { name: 'Remove tax 2' }).click()
  await page.locator('button:focus', { hasText: 'Add a tax' }).waitFor()
  expect(await total(page).innerText()).toMatch(/Total\s+\$3\.15/)
  await attach(page, scan)
  await page.getByText('Uploaded').waitFor()
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()

  // The sender sees the file and cannot open it.
  const shown = await page.locator('main').innerText()
  for (const text of ['A-7', '1 Long Street', 'scan für Ivy.pdf', '1.5 MB', 'VAT (19', '$0.50', '$3.15'])
    expect(shown.replaceAll('\u00a0', ' ')).toContain(text)
  expect(await page.getByRole('link').count()).toBe(0)
  const printed = await readPdf(page)
  for (const text of ['A-7', '1 Long Street', 'Lagos', 'Net', '2.65', 'VAT (19', '0.50', '3.15'])
    expect(printed.replaceAll('\u00a0', ' ')).toContain(text)

  const [invoice] = (await listed()) as (Listed & { attachments: { id: string }[] })[]
  expect(invoice).toMatchObject({
    ...{ totalAmount: 3.15, netAmount: 2.65, senderNumber: 'A-7', senderAddress: '1 Long Street\nLagos' },
    taxes: [{ name: 'VAT', rate: 19, amount: 0.5 }],
    attachments: [{ name: 'scan für Ivy.pdf', type: 'application/pdf', size: scan.buffer.length }],
  })
  const id = invoice?.id ?? ''
  expect((await stack.post(`${server}/approve-invoice`, { invoiceID: id })).code).toBe(200)
  await page.getByRole('heading', { name: 'Paid' }).waitFor()
  const { rows } = await stack.query(
    `select t.amount::text as amount from invoices i join ledger_transfers t on t.to_owner = i.voucher_id where i.id = $1`,
    [id],
  )
  expect(rows).toEqual([{ amount: '315' }])
  expect(browserErrors).toEqual([])
  await close()
  await expectStaffDownload(`/merchant/invoices/${id}/attachments/${invoice?.attachments[0]?.id ?? ''}`)
})

/** An accountant downloads the scan in a browser. A cashier, and a browser without a session, do not. */
async function expectStaffDownload(path: string): Promise<void> {
  const hire = await createStaff(stack, people)
  const [accountant, cashier] = [await hire('Ann', 'Owusu', 'accountant'), await hire('Kim', 'Kasse', 'cashier')]
  const headers = { 'scrip-realm': 'staff', 'scrip-merchant': 'CORNER', 'scrip-mode': 'test' }
  const fetched = async (page: Page) =>
    page.evaluate(
      async ([url, sent]) => {
        const reply = await fetch(url, { headers: sent })
        const digest = await crypto.subtle.digest('SHA-256', await reply.arrayBuffer())
        return {
          status: reply.status,
          headers: Object.fromEntries(reply.headers),
          digest: [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
        }
      },
      [path, headers] as const,
    )
  for (const [member, status] of [
    [undefined, 401],
    [cashier, 403],
    [accountant, 200],
  ] as const) {
    const { page, close } = await stack.open()
    await page.goto(`${stack.baseUrl}/dashboard/CORNER/test`)
    await page.getByLabel('Email address').waitFor()
    if (member !== undefined) {
      await page.getByLabel('Email address').fill(member.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('navigation').first().waitFor()
    }
    const reply = await fetched(page)
    expect(reply.status).toBe(status)
    if (status === 200) {
      expect(reply.digest).toBe(createHash('sha256').update(scan.buffer).digest('hex'))
      expect(reply.headers).toMatchObject({
        'content-disposition': `attachment; filename*=UTF-8''scan%20f%C3%BCr%20Ivy.pdf`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'private, no-store',
      })
    }
    await close()
  }
}

test('files that cannot be sent are explained where they are, and keep the invoice from being sent', async () => {
  const before = (await listed()).length
  const { page, browserErrors, close } = await stack.open(phone)
  await fillIn(page)
  const send = () => page.getByRole('button', { name: 'Send invoice' }).click()
  const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await attach(page, fileOf('page.pdf', '<!doctype html><script>alert(1)</script>'))
  await rowOf('page.pdf').getByText('This is not a PDF, PNG or JPEG file.').waitFor()
  await attach(page, fileOf('large.pdf', '%PDF-1.7', 2 * megabyte + 1))
  await rowOf('large.pdf').getByText('This file is larger than 2 MB.').waitFor()
  await send()
  await page.getByText('Remove the files that could not be uploaded.').waitFor()
  await page.getByRole('button', { name: 'Remove page.pdf' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('button:focus', { hasText: 'Add a file' }).waitFor()
  await page.getByRole('button', { name: 'Remove large.pdf' }).click()
  await page.getByText('Remove the files that could not be uploaded.').waitFor({ state: 'detached' })

  const small = [1, 2, 3, 4].map((n) => fileOf(`${n}.pdf`, `%PDF-1.7 ${n}`))
  await attach(page, ...small)
  await page.getByText('An invoice can have at most 3 files.').waitFor()
  expect(await page.getByRole('button', { name: /^Remove \d\.pdf$/ }).count()).toBe(3)
  await page.getByRole('button', { name: 'Remove 3.pdf' }).click()

  // A file that is still on its way.
  let release = (): void => undefined
  const arrival = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/invoice/attachments', async (route) => {
    await arrival
    await route.continue()
  })
  await attach(page, fileOf('slow.pdf', '%PDF-1.7 slow'))
  await page.getByRole('progressbar', { name: 'slow.pdf' }).waitFor()
  await send()
  await page.getByText('Wait until the files are uploaded.').waitFor()
  expect((await listed()).length).toBe(before)
  release()
  await rowOf('slow.pdf').getByText('Uploaded').waitFor()
  await send()
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()
  const [invoice] = (await listed()) as (Listed & { attachments: { name: string }[] })[]
  expect(invoice?.attachments.map(({ name }) => name)).toEqual(['1.pdf', '2.pdf', 'slow.pdf'])
  expect(browserErrors).toEqual([])
  await close()
})

test('a wrong tax and a number that was used before are marked at their fields', async () => {
  const { page, close } = await stack.open(phone)
  await fillIn(page)
  await page.getByLabel('Your invoice number').fill('B-1')
  await addTax(page, '', '-20')
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await expectFieldError(page, 'Tax name', 'Enter a name, e.g. VAT.')
  await expectFieldError(page, 'Rate in %', 'Enter a rate from 0 to 100, with at most 3 decimals.')
  expect(await focusedField(page)).toBe('Tax name')
  await page.getByRole('button', { name: 'Remove tax 1' }).click()
  await page.getByRole('button', { name: 'Send invoice' }).click()
  await page.getByRole('heading', { name: 'Invoice sent' }).waitFor()
  await fillIn(page)
  await page.getByLabel('Your invoice number').fill('b-1')
  await page.getByRole('button', { name: 'Send invoice' }).click()
  const taken = 'You have already sent an invoice with this number to this shop.'
  await expectFieldError(page, 'Your invoice number', taken)
  // The focus follows in the next frame.
  await page.getByLabel('Your invoice number').and(page.locator(':focus')).waitFor()
  await page.getByLabel('Your invoice number').fill('B-2')
  expect(await page.getByText(taken).count()).toBe(0)
  await close()
})

test('axe finds nothing serious on the form with taxes and files, in English and French, and no page breaks at twice the font size', async () => {
  const faults: string[] = []
  for (const locale of ['en-GB', 'fr-FR']) {
    const { page, close } = await stack.open({ ...phone, locale })
    await page.goto(`${stack.baseUrl}/invoice?to=CORNER&mode=test`)
    await page.getByRole('button', { name: /Add a tax|Ajouter une taxe/ }).click()
    await attach(page, fileOf('page.pdf', '<html>'), fileOf('good.pdf', '%PDF-1.7'))
    await page.getByText(/^(Uploaded|Envoyé)$/).waitFor()
    await page.locator('button[type=submit]').click()
    await page.locator('[aria-invalid]').first().waitFor()
    for (const fault of await findSerious(page)) faults.push(`${locale}: ${fault}`)
    if (await isWideAtTwice(page)) faults.push(`${locale}: wider than the screen at twice the font size`)
    await close()
  }
  expect(faults).toEqual([])
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
      await addTax(page, 'VAT', '19')
      await attach(page, scan, fileOf('page.pdf', '<html>'))
      await page.getByText('Uploaded').waitFor()
      await shoot(page, `form-${look}`)
      await page.getByRole('button', { name: 'Remove page.pdf' }).click()
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
