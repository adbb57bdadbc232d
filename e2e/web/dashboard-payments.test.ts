// Payments in the dashboard: how they ended, refunds, receipts and the sales of the till, in both languages.
import { readFile } from 'node:fs/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../server/src/base/clock.ts'
import { inTransaction } from '../../server/src/base/db.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { hashPassword } from '../../server/src/identity/user/password.ts'
import { insertUser } from '../../server/src/identity/user/store.ts'
import { findSerious } from './axe.ts'
import { findCutText } from './cut-text.ts'
import { createPeople, password, type People } from './people.ts'
import { createStaff, type Member } from './staff.ts'
import { type OpenPage, type Stack, startStack } from './stack.ts'

const api = '/merchant-integrations'
const server = '/merchant-integrations-server'

let stack: Stack
let people: People
let owner: Member
/** The owner signs in once, because sign-in is rate limited. */
let storageState: Awaited<ReturnType<BrowserContext['storageState']>>
/** The owner's dashboard in English on a desk, and in French on a phone. */
let english: OpenPage
let french: OpenPage

beforeAll(async () => {
  stack = await startStack({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
  people = createPeople(stack)
  owner = await (await createStaff(stack, people))('Olu', 'Adeyemi', 'owner')
  const ada = { id: newId(), realm: 'test', email: 'ada@example.com', otherNames: 'Ada', surname: 'Obi' } as const
  const passwordHash = await hashPassword(password)
  await inTransaction(stack.pool, (tx) => insertUser(tx, { ...ada, language: 'en' }, passwordHash, systemClock()))
  await stack.post('/sandbox/fund', { amount: 500, currency: 'USD' })
  const { page, close } = await stack.open()
  await page.goto(shop())
  await page.getByLabel('Email address').fill(owner.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation').first().waitFor()
  storageState = await page.context().storageState()
  await close()
})
beforeEach(async () => {
  english = await stack.open({ viewport: { width: 1280, height: 900 }, storageState })
  french = await stack.open({
    viewport: { width: 390, height: 844 },
    locale: 'fr-FR',
    colorScheme: 'dark',
    storageState,
  })
})
afterEach(async ({ task }) => {
  // The pages of a failed test are described and then closed.
  if (task.result?.state === 'fail') return
  await english.close()
  await french.close()
})
afterAll(() => stack.stop())

const newId = createIds(systemClock, systemRandom)
const shop = (): string => `${stack.baseUrl}/dashboard/CORNER/test`
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const rowOf = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })

const voucher = async (amount = 100, currency = 'USD'): Promise<string> =>
  (await stack.post('/sandbox/vouchers', { amount, currency })).data.code as string
async function sell(code: string, amount: number, referenceId: string): Promise<void> {
  expect((await owner.post(`${api}/redeem-voucher`, { voucherCode: code, amount, referenceId })).code).toBe(200)
}

/** Changes a transaction to a status that needs a network, without the allowed moves. */
async function store(reference: string, changes: object): Promise<string> {
  const { rows } = await stack.query(
    `with old as (delete from transactions where reference = $1 returning *), made as (
       insert into transactions select (jsonb_populate_record(null::transactions, to_jsonb(old) || $2)).* from old
         returning id)
     select id from made`,
    [reference, { updated_at: new Date(), ...changes }],
  )
  return (rows[0] as { id: string }).id
}

/** Payments that ended without their money, and what the dashboard says about each, in English and in French. */
const ends = {
  'order-declined': ['Declined by the customer', 'Refusé par le client'],
  'order-expired': ['Expired: not paid in time', 'Expiré : non payé à temps'],
  'payout-withdrawn': ['Cancelled by the shop', 'Annulé par la boutique'],
  'payout-forgotten': ['Expired: not approved in time', 'Expiré : non approuvé à temps'],
  'sale-failed': ['Failed: not carried out by the network', 'Échec : non exécuté par le réseau'],
  'deposit-expired': ['Expired: not paid in time', 'Expiré : non payé à temps'],
  'deposit-underpaid': ['Expired: paid only in part', 'Expiré : payé en partie seulement'],
} as const

async function endPayments(): Promise<void> {
  const past = new Date(Date.now() - 60_000)
  for (const reference_id of ['order-declined', 'order-expired'])
    await stack.post(`${api}/payment-request`, {
      amount: 8,
      currency: 'USD',
      user_identifier: 'ada@example.com',
      reference_id,
    })
  await stack.post('/sandbox/payment-requests/order-declined/decline', {})
  await stack.query('update payment_requests set expires_at = $1 where ended_at is null', [past])
  await stack.post(`${server}/payment-requests/order-expired/cancel`, {})

  await owner.post('/merchant/outflow-limits', { newRecipientHours: 24, pin: '135790' })
  for (const referenceId of ['payout-withdrawn', 'payout-forgotten'])
    await stack.post(`${server}/payout`, {
      ...{ amount: 9, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD', referenceId },
      platformUsernameOrEmail: 'ada@example.com',
    })
  await stack.post(`${server}/payouts/payout-withdrawn/cancel`, {})
  await stack.query('update outflows set held_until = $1 where ended_at is null', [past])
  await stack.post(`${server}/payouts/payout-forgotten/cancel`, {})

  const code = await voucher()
  for (const reference of ['sale-failed', 'deposit-expired', 'deposit-underpaid']) await sell(code, 7, reference)
  await store('sale-failed', { status: 'FAILED' })
  for (const [reference, paid] of [
    ['deposit-expired', 0],
    ['deposit-underpaid', 300],
  ] as const)
    await stack.query(
      `insert into deposits (environment_id, id, network_id, address, token, unit, pay_book_id, to_deposit, charge,
          rate_numerator, rate_denominator, tolerance, paid, expires_at, ended_at)
        select environment_id, id, (select id from networks limit 1), '0x', '', 1, book_id, 700, 0, 1, 1, 0, $2, $3, $3
          from transactions where id = $1`,
      [await store(reference, { type: 'WALLET_DEPOSIT', status: 'FAILED', code_tail: null }), paid, past],
    )
}

test('a payment that ended without its money says why, in the list, on its page and in its timeline', async () => {
  await endPayments()
  const { page, browserErrors } = english
  await page.goto(`${shop()}/payments`)
  for (const [reference, [reason]] of Object.entries(ends)) await rowOf(page, reference).getByText(reason).waitFor()
  // Money that did not arrive has no sign of money in.
  expect(await rowOf(page, 'sale-failed').textContent()).not.toContain('+')
  expect(await findSerious(page)).toEqual([])
  for (const reference of ['order-declined', 'payout-forgotten', 'sale-failed'] as const) {
    const [reason] = ends[reference]
    await page.goto(`${shop()}/payments/${reference}`)
    await page.locator('.payment-head').getByText(reason).waitFor()
    await page.getByRole('listitem').filter({ hasText: reason }).locator('time').waitFor()
    expect(await page.getByText('Settled').count()).toBe(0)
  }
  await french.page.goto(`${shop()}/payments`)
  for (const [, reason] of Object.values(ends)) await says(french.page, reason.replace(' :', '\u00a0:'))
  expect(await findSerious(french.page)).toEqual([])
  expect(browserErrors.filter((each) => !/status of 401/.test(each))).toEqual([])
})

test('a partial refund is marked in the list, on the page, on the receipt and in the export, and is in the ledger', async () => {
  const code = await voucher()
  await sell(code, 20, 'sale-partly')
  await sell(code, 10, 'sale-wholly')
  await owner.post(`${server}/refund`, { referenceId: 'sale-partly', amount: 5, refundReferenceId: 'back-partly' })
  await owner.post(`${server}/refund`, { referenceId: 'sale-wholly', refundReferenceId: 'back-wholly' })
  const { page } = english
  await page.goto(`${shop()}/payments`)
  await rowOf(page, 'sale-partly').getByText('Partially refunded').waitFor()
  await rowOf(page, 'sale-wholly').getByText('Refunded', { exact: true }).waitFor()
  const save = page.getByRole('button', { name: 'Export CSV' })
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()])
  const csv = await readFile(await download.path(), 'utf8')
  await page.getByLabel('Status', { exact: true }).selectOption('Partially refunded')
  await rowOf(page, 'sale-wholly').waitFor({ state: 'detached' })
  await rowOf(page, 'sale-partly').getByRole('link').click()
  await page.locator('.payment-head').getByText('Partially refunded').waitFor()
  await page.getByRole('tab', { name: 'Ledger entries' }).click()
  const entry = page.getByRole('row', { name: /Your balance.*Voucher ··.*Refund.*5\.00/ })
  await entry.getByRole('link', { name: 'Refund' }).waitFor()
  expect(await findSerious(page)).toEqual([])
  await page.emulateMedia({ media: 'print' })
  await page.locator('.slip').getByText('Partially refunded').waitFor()
  expect(await page.locator('.slip').innerText()).toMatch(/Refunded so far\s+\$5\.00/)
  await page.emulateMedia({ media: 'screen' })

  expect(csv).toMatch(/,sale-partly,VOUCHER_REDEMPTION,PARTIALLY_REFUNDED,in,USD,20\.00,/)
  expect(csv).toMatch(/,sale-wholly,VOUCHER_REDEMPTION,REFUNDED,in,USD,10\.00,/)
  await french.page.goto(`${shop()}/payments/sale-partly`)
  await says(french.page, 'Partiellement remboursé')
  expect(await findSerious(french.page)).toEqual([])
})

/** The texts of a receipt on 80 mm of paper, and what is cut there. */
async function readPrinted(page: Page): Promise<{ text: string; cut: string[] }> {
  const viewport = page.viewportSize() ?? { width: 1280, height: 900 }
  // 80 mm without the margins of 3 mm.
  await page.setViewportSize({ width: 280, height: 1_000 })
  await page.emulateMedia({ media: 'print' })
  const printed = { text: plain(await page.locator('.slip').innerText()), cut: await findCutText(page) }
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize(viewport)
  return printed
}
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('a receipt shows what was deducted, the year and a short reference, on screen, on paper and by email', async () => {
  const { page } = english
  const code = await voucher()
  await page.goto(`${shop()}/till`)
  await page.getByLabel('Voucher code').fill(code)
  await page.keyboard.press('Enter')
  await page.getByLabel(/Amount/).fill('12.50')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Charge $12.50' }).click()
  await page.getByText('Paid', { exact: true }).waitFor()
  const reference = (await page.locator('.slip code[title]').getAttribute('title')) ?? ''
  const short = reference.slice(-8).toUpperCase()
  expect(reference.length).toBeGreaterThan(8)
  const year = String(new Date().getFullYear())
  const onScreen = plain(await page.locator('.slip').innerText())
  const printed = await readPrinted(page)
  expect(printed.cut).toEqual([])
  for (const text of [onScreen, printed.text]) {
    // 12.50 and a fee of 0.10 and 1.5 %.
    expect(text).toMatch(/Amount \$12\.50 Fee \$0\.29 Deducted from the voucher \$12\.79/)
    expect(text).toContain(`Reference ${short}`)
    expect(text).toContain(`Full reference: ${reference}`)
    expect(text).toMatch(new RegExp(`Date \\d+ \\w+ ${year}`))
  }
  await french.page.goto(`${shop()}/payments/${reference}`)
  await says(french.page, 'Écritures comptables')
  const { text, cut } = await readPrinted(french.page)
  expect(cut).toEqual([])
  expect(text).toMatch(/Montant 12,50 \$ Frais 0,29 \$ Débité du bon 12,79 \$/)
  expect(text).toContain(`Référence ${short}`)
  expect(text).toMatch(new RegExp(`Date \\d+ \\S+ ${year}`))

  await stack.post('/sandbox/fund', { amount: 50, currency: 'USD', user: 'ada@example.com' })
  const order = { amount: 8, currency: 'USD', user_identifier: 'ada@example.com', reference_id: 'order-paid' }
  await stack.post(`${api}/payment-request`, order)
  await stack.post('/sandbox/payment-requests/order-paid/authorise', {})
  await page.goto(`${shop()}/payments/order-paid`)
  await says(page, 'Ledger entries')
  expect((await readPrinted(page)).text).toContain('Deducted from the wallet $8.00')

  for (const [language, total] of [
    ['en', 'Deducted from your voucher: $12.79'],
    ['fr', 'Débité de votre bon: 12,79 $'],
  ] as const) {
    const email = `buyer-${language}@example.com`
    await owner.post(`${server}/transactions/${reference}/receipt`, { email, language })
    const mailed = plain((await people.mailTo(email, /./)).text ?? '')
    for (const said of [total, `${short} (${reference})`, year]) expect(mailed).toContain(said)
  }
})

test('the till lists the sales of today with a total per currency, from which a refund is deducted once', async () => {
  const { page } = english
  let isCut = true
  await page.route('**/till/sales*', (route) => (isCut ? route.abort() : route.fallback()))
  await page.goto(`${shop()}/till`)
  const sales = page.locator('section').filter({ has: page.getByRole('heading', { name: 'My sales today' }) })
  await sales.getByText('We could not reach the server').waitFor()
  await sales.getByRole('button', { name: 'Try again' }).waitFor()
  const paid = async (): Promise<Record<string, unknown>[]> => {
    const { rows } = await stack.query(
      `select b.currency, sum(t.amount - t.refunded)::float8 / 100 as amount, count(*)::integer as count
         from transactions t join ledger_books b on b.id = t.book_id where t.member_id = $1
           and t.type = 'VOUCHER_REDEMPTION' and t.status in ('COMPLETED', 'REFUNDED') group by 1 order by 1`,
      [owner.id],
    )
    return rows as Record<string, unknown>[]
  }
  const before = await paid()
  await sell(await voucher(40, 'EUR'), 30, 'sale-euro')
  const code = await voucher()
  await sell(code, 11, 'sale-back')
  await sell(code, 6, 'sale-last')
  await owner.post(`${server}/refund`, { referenceId: 'sale-back', amount: 4, refundReferenceId: 'back-last' })
  isCut = false
  await page.reload()
  const rows = sales.getByRole('row')
  await rows.filter({ hasText: '$6.00' }).waitFor()
  expect(await rows.nth(1).innerText()).toMatch(
    /Voucher redeemed\s+··\w{4}\s+Completed\s+\$6\.00\s+\d\d:\d\d\s+Receipt/,
  )
  expect(plain(await rows.nth(2).innerText())).toMatch(/Partially refunded −\$4\.00 \$11\.00 \d\d:\d\d Receipt$/)
  // The refund itself is no sale.
  expect(await rows.filter({ hasText: /^Refund/ }).count()).toBe(0)
  const usd = before.find(({ currency }) => currency === 'USD')
  const total = (Number(usd?.amount) + 11 - 4 + 6).toFixed(2)
  const shown = plain(await sales.locator('.facts').innerText())
  expect(shown).toContain(`Total in USD $${total} ${Number(usd?.count) + 2} sales, after $`)
  expect(shown).toContain('Total in EUR €30.00 1 sale')
  expect(await findSerious(page)).toEqual([])
  await sales.getByRole('button', { name: 'Receipt for $11.00' }).click()
  await page.locator('.slip').getByText('Partially refunded').waitFor()

  await french.page.goto(`${shop()}/till`)
  await says(french.page, 'Total en EUR')
  expect(await findCutText(french.page)).toEqual([])
  expect(await findSerious(french.page)).toEqual([])
})

test('a French page has no English: dates, amounts to type, refusals and the failures of webhooks', async () => {
  // Nothing listens there.
  await stack.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' })
  await sell(await voucher(), 15, 'sale-french')
  // Chosen in the dashboard, in a browser whose own language is English.
  const { page } = english
  await page.addInitScript(`localStorage.setItem('scrip-language', 'fr')`)
  await page.goto(`${shop()}/payments/sale-french`)
  await page.getByRole('heading', { name: 'Bon encaissé' }).waitFor()
  const moment = page.locator('.facts time').first()
  const month = new Intl.DateTimeFormat('fr', { month: 'long', year: 'numeric' }).format()
  expect(await moment.getAttribute('title')).toContain(month)
  await page.getByRole('tab', { name: /^Webhooks/ }).click()
  await page.getByText('1 tentative').click()
  await page.getByText(/connexion refusée, \d+\sms/).waitFor()
  await page.getByRole('tab', { name: 'Vue d’ensemble' }).click()

  for (let sent = 0; sent < 5; sent++)
    await owner.post(`${server}/transactions/sale-french/receipt`, { email: 'buyer@example.com' })
  await page.getByRole('button', { name: 'Envoyer le ticket par e-mail' }).click()
  await page.getByLabel('Adresse e-mail du client').fill('buyer@example.com')
  await page.keyboard.press('Enter')
  await says(page, 'Cinq tickets ont déjà été envoyés pour ce paiement.')

  await page.getByRole('button', { name: 'Rembourser' }).click()
  const amount = page.getByLabel(/^Montant/)
  expect(await amount.inputValue()).toBe('15,00')
  // A code that is newer than the page.
  const json = { code: 409, message: 'The moon is in the way.', error: { code: 'MOON_IN_THE_WAY' } }
  await page.route('**/refund', (route) => route.fulfill({ status: 409, json }))
  await page.getByRole('button', { name: /^Rembourser 15,00/ }).click()
  await says(page, 'Le serveur a refusé cette demande (MOON_IN_THE_WAY).')
  await page.unroute('**/refund')
  await amount.fill('2,50')
  await page.getByRole('button', { name: /^Rembourser 2,50/ }).click()
  await page.locator('.payment-head').getByText('Partiellement remboursé').waitFor()
  expect((await stack.get(`${server}/verify-transaction/sale-french`)).data.refundedAmount).toBe(2.5)
})
