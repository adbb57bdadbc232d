// Screenshots of every screen of the dashboard for review: phone and desktop, light and dark, empty, loading, failing and full.
//   npm run screens -- dashboard
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { demoBrand, readDemoLogo } from '../../server/local/demo/demo-brand.ts'
import { oneTimeCode } from '../../server/local/parts/one-time-code.ts'
import { systemClock } from '../../server/src/base/clock.ts'
import { createIds } from '../../server/src/base/id.ts'
import { systemRandom } from '../../server/src/base/random.ts'
import { setManualRate } from '../../server/src/catalogue/currency/rates.ts'
import { createMerchant } from '../../server/src/identity/merchant/create-merchant.ts'
import { shootInFrench } from '../web/french.ts'
import { createPeople, password, pin } from '../web/people.ts'
import { settle } from '../web/settle.ts'
import { createStaff } from '../web/staff.ts'
import { startStack } from '../web/stack.ts'

const folder = resolve(import.meta.dirname, '../../.scrip/screens/dashboard')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const stack = await startStack({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
const people = createPeople(stack)
await setManualRate(stack.pool, 'USD', 'EUR', '0.9', systemClock)
await setManualRate(stack.pool, 'EUR', 'USD', '1.1', systemClock)

const newId = createIds(systemClock, systemRandom)
const hire = await createStaff(stack, people)
const owner = await hire('Olu', 'Adeyemi', 'owner')
const kim = await hire('Kim', 'Kasse', 'cashier')
await hire('Lea', 'Moreau', 'cashier')
const outsider = await hire('Sam', 'Stranger')
const ann = await hire('Ann', 'Owusu', 'accountant')
// Owners of a live shop sign in with a second factor.
const ola = await hire('Ola', 'Berg', 'owner')
const { totpURI } = (await ola.post('/auth/staff/two-factor/enable', { password })).data as unknown as {
  totpURI: string
}
const readOneTimeCode = (): string => oneTimeCode(new URL(totpURI).searchParams.get('secret') ?? '')
await ola.post('/auth/staff/two-factor/verify-totp', { code: readOneTimeCode() })
const second = { code: 'MARKET', companyName: 'Market Street Records', tradingName: '', description: '', avatar: '' }
const place = { homeCurrency: 'EUR', timeZone: 'Europe/Paris' }
const { merchantId: secondId } = await createMerchant(stack.pool, { ...second, ...place }, systemClock, newId)
await stack.query(
  `insert into merchant_members (merchant_id, user_id, role, created_at)
    select $1, id, 'accountant', now() from users where email = $2 and realm = 'staff'`,
  [secondId, ann.email],
)

const api = '/merchant-integrations'
const server = '/merchant-integrations-server'
await stack.post('/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' })
for (const [amount, currency] of [
  [12_480.35, 'USD'],
  [940, 'EUR'],
] as const)
  await stack.post('/sandbox/fund', { amount, currency })
await stack.post(`${server}/brand`, demoBrand)
await stack.post(`${server}/brand/logo`, { image: readDemoLogo() })
const ada = await people.signUp('ada@example.com', 'ada')
await ada.post('/me/pin', { pin, password })
await stack.post('/sandbox/fund', { amount: 400, currency: 'USD', user: 'ada' })
const voucher = async (amount: number, more: object = {}): Promise<string> =>
  (await stack.post('/sandbox/vouchers', { amount, currency: 'USD', ...more })).data.code as string
const plain = await voucher(100)
const locked = await voucher(50, { lockPin: '4821' })
let sold = 0
const redeem = (who: Pick<typeof kim, 'post'>, voucherCode: string, amount: number) =>
  who.post(`${api}/redeem-voucher`, { voucherCode, amount, referenceId: `sale-${++sold}` })
for (const amount of [12.5, 3.2, 18.75, 7]) await redeem(kim, plain, amount)
await redeem(owner, await voucher(1_250), 1_099.9)
await redeem(stack as never, plain, 4.4)
await owner.post(`${server}/refund`, {
  ...{ referenceId: 'sale-1', amount: 5, reason: 'One book came back', refundReferenceId: 'back-1' },
})
for (const [reference_id, amount, note] of [
  ['order-1', 42.75, 'Three novels and a dictionary'],
  ['order-2', 9.9, 'Bookmark'],
  ['order-3', 15, 'A map'],
] as const)
  await stack.post(`${api}/payment-request`, {
    ...{ amount, currency: 'USD', user_identifier: 'ada', reference_id, metadata: { note } },
  })
const { requests } = (await ada.get('/wallet/payment-requests')).data as unknown as { requests: { id: string }[] }
await ada.post(`/wallet/payment-requests/${requests[0]?.id ?? ''}/authorise`, { pin })
await ada.post(`/wallet/payment-requests/${requests[1]?.id ?? ''}/decline`, {})
type Issued = { id: string; code: string }
const issue = async (amount: number, more: object = {}): Promise<Issued> =>
  (await owner.post(`${server}/vouchers`, { amount, currency: 'USD', pin, ...more })).data as unknown as Issued
const gift = await issue(25, { forEmail: 'ada@example.com', lockPin: '1234' })
await issue(60, { expiresAt: '2031-12-31' })
const lost = await issue(40)
const half = await issue(80)
await redeem(kim, half.code, 32.4)
await owner.post(`${server}/vouchers/${lost.id}/block`)
const batch = (await owner.post(`${server}/voucher-batches`, { size: 12, amount: 10, currency: 'USD', pin }))
  .data as unknown as Issued

// Pending outflows: requested by a colleague, by the owner who views them, and with a key, and one to a new recipient.
await owner.post('/merchant/outflow-limits', { approvalAbove: '100', daily: '5000', newRecipientHours: 24, pin })
await ann.post(`${server}/vouchers`, { amount: 250, currency: 'USD', forEmail: 'ada@example.com', pin })
await owner.post(`${server}/voucher-batches`, { size: 120, amount: 10, currency: 'USD', pin })
await stack.post(`${server}/vouchers`, { amount: 75.5, currency: 'EUR' })
await ann.post(`${server}/vouchers/${half.id}/replace`, { pin })
await stack.post(`${server}/payout`, {
  ...{ amount: 40, fromCurrencyAbbreviation: 'USD', toCurrencyAbbreviation: 'USD' },
  platformUsernameOrEmail: 'ada',
})
const listPending = async (): Promise<string[]> => {
  const { outflows } = (await owner.get('/merchant/outflows')).data as unknown as { outflows: { reference: string }[] }
  return outflows.map(({ reference }) => reference)
}
const pending = await listPending()

const shop = `${stack.baseUrl}/dashboard/CORNER/test`
const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }
const screens: Record<string, string> = {
  home: '/',
  payments: '/payments',
  'payments-filtered': '/payments?type=VOUCHER_REDEMPTION&status=FAILED',
  payment: '/payments/sale-1',
  'payment-request': '/payments/order-1',
  vouchers: '/vouchers',
  voucher: `/vouchers/${half.id}`,
  'voucher-blocked': `/vouchers/${lost.id}`,
  'voucher-gift': `/vouchers/${gift.id}`,
  issue: '/vouchers/issue',
  'issue-many': '/vouchers/issue-many',
  import: '/vouchers/import',
  batches: '/vouchers/batches',
  batch: `/vouchers/batches/${batch.id}`,
  approvals: '/approvals',
  day: '/day',
  'day-empty': '/day?day=2026-01-01',
  reports: '/reports',
  'reports-statement': '/reports/statement',
  'reports-fees': '/reports/fees',
  'reports-export': '/reports/export',
  till: '/till',
  'till-switch': '/till/switch',
  account: '/account',
  brand: '/settings/brand',
  'not-here': '/nothing',
}

/** Adds a month of sales to the chart, which would take too long to create through the API. */
async function addMonth(route: Route): Promise<void> {
  const reply = await route.fetch()
  const response = (await reply.json()) as { data: { today: string; days: object[] } }
  const kinds = ['VOUCHER_REDEMPTION', 'PAYMENT_REQUEST', 'REFUND', 'VOUCHER_PURCHASE']
  for (let back = 1; back < 30; back++)
    for (const [place, kind] of kinds.entries()) {
      const day = new Date(Date.parse(`${response.data.today}T12:00:00Z`) - back * 86_400_000)
        .toISOString()
        .slice(0, 10)
      const amount = (((back * 7919 + place * 104_729) % 90_000) / 100 / (place + 1)).toFixed(2)
      if ((back + place) % 6 !== 0)
        response.data.days.push({ day, kind, currency: 'USD', count: 3 + (back % 9), amount })
    }
  await route.fulfill({ response: reply, json: response })
}

/** Sign-in is rate limited, so each user signs in once and not once for each size and colour. */
async function signIn(email: string, readCode?: () => string) {
  const { page, close } = await stack.open()
  await page.goto(`${stack.baseUrl}/dashboard`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Password').waitFor({ state: 'detached' })
  if (readCode !== undefined) {
    await page.getByLabel('One-time code').fill(readCode())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('One-time code').waitFor({ state: 'detached' })
  }
  await page.locator('h1').waitFor()
  const storageState = await page.context().storageState()
  await close()
  return { storageState }
}
const [asOwner, asLiveOwner, asCashier, asOutsider, asAccountant] = [
  await signIn(owner.email),
  await signIn(ola.email, readOneTimeCode),
  await signIn(kim.email),
  await signIn(outsider.email),
  await signIn(ann.email),
]
const cut: string[] = []
let screenshots = 0
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ['light', 'dark'] as const) {
    const shoot = async (page: Page, name: string): Promise<void> => {
      await page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png`, fullPage: true })
      screenshots++
    }
    /** As wide as the paper of a receipt printer, less its margins. */
    const shootPaper = async (page: Page, name: string): Promise<void> => {
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: 280, height: 600 })
      await shoot(page, name)
      await page.emulateMedia({ media: 'screen' })
      await page.setViewportSize(viewport)
    }
    const show = async (page: Page, path: string): Promise<void> => {
      await page.goto(`${shop}${path}`)
      await settle(page)
    }
    const outside = await stack.open({ viewport, colorScheme })
    await outside.page.goto(`${shop}/`)
    await outside.page.getByLabel('Password').waitFor()
    await shoot(outside.page, 'sign-in')
    await outside.close()
    const { page, browserErrors, close } = await stack.open({ viewport, colorScheme, ...asOwner })
    await page.route('**/merchant/home', addMonth)
    for (const [name, path] of Object.entries(screens)) {
      await show(page, path)
      await shoot(page, name)
    }
    // The same screens in French. Fails if a text is cut.
    for (const text of await shootInFrench(page, screens, show, shoot)) cut.push(`${size} ${text}`)
    // A sale at the till.
    await show(page, '/till')
    const code = page.getByLabel('Voucher code')
    await code.pressSequentially('ABCD-EFGH-JKMN-PQRS')
    await page.getByText(/A character is wrong/).waitFor()
    await shoot(page, 'till-mistyped')
    await code.fill(`${stack.baseUrl}/v#${locked}`)
    await code.press('Enter')
    await page.getByLabel('Voucher PIN').fill('4821')
    await shoot(page, 'till-amount')
    await page.getByLabel(/Amount/).fill('80')
    await page.getByLabel(/Amount/).press('Enter')
    await page.getByRole('button', { name: /instead/ }).waitFor()
    await shoot(page, 'till-too-much')
    await page.getByLabel(/Amount/).fill('1.25')
    await page.getByLabel(/Amount/).press('Enter')
    await page.getByRole('button', { name: /^Charge/ }).waitFor()
    await shoot(page, 'till-confirm')
    await page.route('**/redeem-voucher', (route) => route.abort())
    await page.getByRole('button', { name: /^Charge/ }).press('Enter')
    await page.getByText(/We have not received a response yet/).waitFor()
    await shoot(page, 'till-checking')
    await page.unroute('**/redeem-voucher')
    await page.getByRole('button', { name: 'Next customer' }).waitFor()
    await shoot(page, 'till-receipt')
    await shootPaper(page, 'till-printed')
    await show(page, '/day')
    await shootPaper(page, 'day-printed')
    await show(page, '/payments/sale-2')
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    await shoot(page, 'refund')
    await show(page, `/vouchers/${half.id}`)
    await page.getByRole('button', { name: 'Show code' }).click()
    await page.getByLabel('Your PIN').fill(pin)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /QR/ }).waitFor()
    await shoot(page, 'voucher-shown')
    await page.getByRole('button', { name: 'Cancel voucher' }).click()
    await shoot(page, 'voucher-cancel')
    await show(page, '/vouchers/import')
    await page.getByLabel('Or paste it here').fill('code,balance\nGIFT-0001,25.00\nGIFT-0002,x')
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByText('1 line needs fixing').first().waitFor()
    await shoot(page, 'import-faults')
    await page.getByLabel('Or paste it here').fill('code,balance\nGIFT-0001,25.00\nGIFT-0002,10')
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByLabel('Your PIN').waitFor()
    await shoot(page, 'import-ready')
    // Actions that need a PIN, and the pending requests that follow.
    await show(page, '/vouchers/issue')
    await page.getByLabel('Amount').fill('12.50')
    await page.getByLabel('Your PIN').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('Incorrect PIN.').waitFor()
    await shoot(page, 'issue-wrong-pin')
    await page.keyboard.type(pin)
    await page.keyboard.press('Enter')
    await page.getByText(/is cancelled on/).waitFor()
    await shoot(page, 'issue-pending')
    await show(page, `/vouchers/${lost.id}`)
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    await shoot(page, 'replace')
    await page.keyboard.type(pin)
    await page.keyboard.press('Enter')
    await page.getByText(/is cancelled on/).waitFor()
    await shoot(page, 'replace-pending')
    for (const reference of await listPending())
      if (!pending.includes(reference)) await owner.post(`${server}/outflows/${reference}/cancel`)
    await show(page, '/approvals')
    await page
      .getByRole('row', { name: /Ada Obi/ })
      .getByRole('button', { name: 'Approve' })
      .click()
    await shoot(page, 'approve')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Cancel request' }).first().click()
    await shoot(page, 'cancel-request')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change limits' }).click()
    await shoot(page, 'change-limits')
    const unexpected = browserErrors.filter((text) => !/Failed to load resource|ERR_FAILED/.test(text))
    if (unexpected.length > 0) console.log(unexpected)
    // Loading, failing and empty screens. There are no live transactions yet.
    await page.route(/\/merchant\//, () => undefined)
    for (const name of ['home', 'payments', 'till', 'approvals']) {
      await page.goto(`${shop}/${name === 'home' ? '' : name}`)
      await page.locator('.skeleton').first().waitFor()
      await shoot(page, `${name}-loading`)
    }
    await page.unroute(/\/merchant\//)
    await page.route(/\/merchant\//, (route) => route.abort())
    for (const name of ['home', 'payments', 'approvals']) {
      await page.goto(`${shop}/${name === 'home' ? '' : name}`)
      await page
        .getByText(/could not reach/)
        .first()
        .waitFor()
      await shoot(page, `${name}-error`)
    }
    await page.unrouteAll()
    await page.goto(`${stack.baseUrl}/dashboard/CORNER/live`)
    await page.getByRole('heading', { name: 'Two-step sign-in' }).waitFor()
    await shoot(page, 'second-factor')
    await close()
    const empty = await stack.open({ viewport, colorScheme, ...asLiveOwner })
    for (const name of ['home', 'payments', 'vouchers', 'approvals', 'till', 'vouchers/batches']) {
      await empty.page.goto(`${stack.baseUrl}/dashboard/CORNER/live/${name === 'home' ? '' : name}`)
      await empty.page.locator('h1').waitFor()
      await settle(empty.page)
      await shoot(empty.page, `${name.replace('vouchers/', '')}-empty`)
    }
    await empty.page.goto(`${stack.baseUrl}/dashboard/CORNER/live/approvals`)
    await empty.page.getByRole('button', { name: 'Change limits' }).click()
    await shoot(empty.page, 'change-limits-live')
    await empty.close()
    const other = await stack.open({ viewport, colorScheme, ...asCashier })
    await show(other.page, '/')
    await shoot(other.page, 'till-cashier')
    await other.close()
    const newcomer = await stack.open({ viewport, colorScheme, ...asOutsider })
    await newcomer.page.goto(`${stack.baseUrl}/dashboard`)
    await newcomer.page.getByText('You are not in a shop yet').waitFor()
    await shoot(newcomer.page, 'no-shop')
    await newcomer.close()
    const both = await stack.open({ viewport, colorScheme, ...asAccountant })
    await both.page.goto(`${stack.baseUrl}/dashboard`)
    await both.page.getByText('Market Street Records').waitFor()
    await shoot(both.page, 'choose-shop')
    await show(both.page, '/')
    await shoot(both.page, 'home-two-shops')
    await both.page.goto(`${stack.baseUrl}/dashboard/NOWHERE/live`)
    await both.page.getByText('This is not one of your shops').first().waitFor()
    await shoot(both.page, 'unknown-shop')
    await both.close()
  }
await stack.stop()
for (const text of cut) console.log(`cut: ${text}`)
console.log(`screens dashboard=${screenshots} cut=${cut.length} folder=.scrip/screens/dashboard`)
process.exit(cut.length === 0 ? 0 : 1)
