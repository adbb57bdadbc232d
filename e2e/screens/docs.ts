// Takes the pictures in docs/images again, from a running `npm run dev -- --fresh`.
//   npm run screens -- docs
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'

type Login = { readonly email: string; readonly password: string; readonly pin: string }
type World = {
  readonly baseUrl: string
  readonly merchant: { readonly code: string; readonly publicKey: string; readonly secretKey: string }
  readonly user: Login
  readonly staff: { readonly owner: Login }
  readonly vouchers: { readonly plain: { readonly code: string } }
}

const root = resolve(import.meta.dirname, '../..')
const world = JSON.parse(readFileSync(resolve(root, '.scrip/dev.json'), 'utf8')) as World
const { baseUrl, merchant, user, staff, vouchers } = world
const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }
const keys = { Authorization: `Bearer ${merchant.publicKey}`, 'X-API-Private-Key': merchant.secretKey }
let pictures = 0

async function post(path: string, body: object): Promise<void> {
  const headers = { ...keys, 'Content-Type': 'application/json' }
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

async function open(
  viewport: typeof desk,
  colorScheme: 'light' | 'dark',
  login?: [path: string, as: Login],
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport, colorScheme })
  const page = await context.newPage()
  if (login === undefined) return page
  const [path, { email, password }] = login
  await page.goto(`${baseUrl}${path}`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: /Home|Wallet|Balances/ }).waitFor()
  return page
}

async function shoot(page: Page, path: string, name: string): Promise<void> {
  await page.goto(`${baseUrl}${path}`)
  await page.locator('h1').waitFor()
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined)
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: resolve(root, `docs/images/${name}.png`) })
  pictures++
}

const shop = `/dashboard/${merchant.code}/test`
const wallet = '/app?mode=test'
const sale = { voucherCode: vouchers.plain.code, amount: 12.5, referenceId: `picture-${Date.now()}` }
await post('/merchant-integrations/redeem-voucher', sale)
await post('/merchant-integrations/payment-request', {
  amount: 42.75,
  currency: 'USD',
  user_identifier: user.email,
  metadata: { note: 'Three novels and a dictionary' },
})

const owner = await open(desk, 'light', [shop, staff.owner])
await shoot(owner, `${shop}/`, 'dashboard-home-1280-light')
await shoot(owner, `${shop}/till`, 'dashboard-till-1280-light')
await shoot(owner, `${shop}/payments/${sale.referenceId}`, 'dashboard-payment-1280-light')
await shoot(await open(phone, 'dark', [shop, staff.owner]), `${shop}/payments`, 'dashboard-payments-390-dark')

for (const colorScheme of ['light', 'dark'] as const) {
  await shoot(await open(phone, colorScheme), `/v#${vouchers.plain.code}`, `holder-voucher-390-${colorScheme}`)
  await shoot(await open(desk, colorScheme), `/v#${vouchers.plain.code}`, `holder-voucher-1280-${colorScheme}`)
}
await shoot(await open(phone, 'light'), `/invoice?to=${merchant.code}&mode=test`, 'invoice-form-390-light')

const payer = await open(phone, 'light', [wallet, user])
await shoot(payer, wallet, 'wallet-home-390-light')
const review = await payer.locator('a[href*="/pay/"]').first().getAttribute('href')
await shoot(payer, review ?? '', 'wallet-pay-390-light')
const evening = await open(phone, 'dark', [wallet, user])
await evening.goto(`${baseUrl}/app/vouchers?mode=test`)
await evening.locator('main a[href*="/vouchers/"]').first().click()
await evening.getByRole('img', { name: /QR/ }).waitFor()
await evening.screenshot({ path: resolve(root, 'docs/images/wallet-voucher-390-dark.png') })
pictures++

await browser.close()
console.log(`screens docs=${pictures} folder=docs/images`)
process.exit(0)
