// Screenshots of the screens that sell store vouchers: phone and desktop, light and dark, English and French.
//   npm run screens -- selling
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { demoBrand, readDemoLogo } from '../../server/local/demo/demo-brand.ts'
import { shootInFrench } from '../web/french.ts'
import { createPeople, password, pin } from '../web/people.ts'
import { settle } from '../web/settle.ts'
import { createStaff } from '../web/staff.ts'
import { startStack } from '../web/stack.ts'

const folder = resolve(import.meta.dirname, '../../.scrip/screens/selling')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const stack = await startStack()
const hire = await createStaff(stack, createPeople(stack))
const owner = await hire('Olu', 'Adeyemi', 'owner')
const kim = await hire('Kim', 'Kasse', 'cashier')
const server = '/merchant-integrations-server'
const idOf = ({ data }: { readonly data: object }): string => (data as { id: string }).id

await stack.post(`${server}/brand`, demoBrand)
await stack.post(`${server}/brand/logo`, { image: readDemoLogo() })
const location = idOf(
  await stack.post(`${server}/locations`, { name: 'High Street', address: '1 High Street\n101233 Lagos' }),
)
await stack.post(`${server}/locations`, { name: 'Airport', address: '' })
const register = idOf(await stack.post(`${server}/locations/${location}/registers`, { name: 'Register 1' }))
const spare = idOf(await stack.post(`${server}/locations/${location}/registers`, { name: 'Register 2' }))
const cards = idOf(await stack.post(`${server}/voucher-cards`, { size: 4, amount: 25, currency: 'USD' }))
const readCards = () => stack.fetch(`${server}/voucher-batches/${cards}/vouchers.csv`)
while ((await readCards()).status !== 200) await sleep(200)
const card = (await (await readCards()).text()).split('\r\n')[1]?.split(',')[1] ?? ''

// A shift that was closed with a difference, and one that is open.
const openShift = async (registerId: string): Promise<string> =>
  idOf(await kim.post('/merchant/shifts', { registerId, currency: 'USD', openingFloat: 100 }))
type Sold = { readonly sale: { readonly id: string }; readonly voucher: { readonly id: string; readonly code: string } }
const sell = async (body: object): Promise<Sold> =>
  (await kim.post(`${server}/voucher-sales`, { currency: 'USD', ...body })).data as unknown as Sold
const closing = await openShift(spare)
await sell({ amount: 50, tender: 'cash', registerId: spare })
await sell({ amount: 120, tender: 'card', tenderReference: 'slip 0017', registerId: spare })
await kim.post(`/merchant/shifts/${closing}/close`, { counted: 148.5, note: 'A coin fell behind the drawer' })
await openShift(register)
const made = await sell({ amount: 60, price: 50, tender: 'cash', registerId: register, pin })
await sell({ amount: 15, tender: 'free', reason: 'Late order', registerId: register, pin })
const undone = await sell({ amount: 40, tender: 'card', registerId: register })
await owner.post(`${server}/voucher-sales/${undone.sale.id}/void`, { reason: 'Mistyped' })
await kim.post(`${server}/voucher-reloads`, { voucherCode: made.voucher.code, amount: 20, tender: 'card' })
const gift = await sell({
  ...{ amount: 75, tender: 'card', registerId: register },
  gift: { email: 'ifeoma@example.com', sender: 'Ada', message: 'Happy birthday. Cake is on me.' },
})

const shop = `${stack.baseUrl}/dashboard/CORNER/test`
const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }
const screens: Record<string, string> = {
  sell: '/sell',
  sales: '/sell/sales',
  shift: '/sell/shift',
  till: '/till',
  day: '/day',
  locations: '/settings/locations',
  limits: '/approvals',
  gift: `/vouchers/${gift.voucher.id}`,
  batch: `/vouchers/batches/${cards}`,
  batches: '/vouchers/batches',
}

async function signIn() {
  const { page, close } = await stack.open()
  await page.goto(`${stack.baseUrl}/dashboard`)
  await page.getByLabel('Email address').fill(owner.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('h1').waitFor()
  await page.getByLabel('Password').waitFor({ state: 'detached' })
  await page.evaluate(`localStorage.setItem('scrip-register CORNER', '${register}')`)
  const storageState = await page.context().storageState()
  await close()
  return { storageState }
}

/** A gift and a reload as they are typed, and what follows a sale. */
async function shootSales(page: Page, shoot: (name: string) => Promise<void>): Promise<void> {
  await page.goto(`${shop}/sell`)
  await settle(page)
  await page.getByRole('button', { name: '$50.00' }).click()
  await page.getByLabel('Cash received (USD)').fill('60')
  await page.getByRole('button', { name: 'Email', exact: true }).click()
  await page.getByLabel('Recipient’s email').fill('ifeoma@example.com')
  await page.getByLabel('Message').fill('Happy birthday, Ifeoma. Cake is on me.')
  await shoot('sell-gift')
  await page.getByRole('button', { name: 'Free' }).click()
  await page.getByRole('button', { name: /^Give away/ }).click()
  await page.getByText('Enter why the voucher is free.').waitFor()
  await shoot('sell-free')
  await page.getByRole('button', { name: 'Hand over' }).click()
  await page.getByRole('button', { name: 'Cash', exact: true }).click()
  await page.getByRole('button', { name: 'Sell voucher for $50.00' }).click()
  await page.getByText('Voucher sold').waitFor()
  await shoot('sold')
  await page.emulateMedia({ media: 'print' })
  await shoot('sold-printed')
  await page.emulateMedia({ media: 'screen' })
  await page.goto(`${shop}/till`)
  await page.getByLabel('Voucher code').fill(card)
  await page.keyboard.press('Enter')
  await page.getByText('Printed on the card').waitFor()
  await shoot('sell-card')
  await page.goto(`${shop}/till`)
  await page.getByLabel('Voucher code').fill(made.voucher.code)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Undo reload' }).waitFor()
  await shoot('till-store')
  await page.getByRole('button', { name: 'Reload', exact: true }).click()
  await page.getByLabel('Amount (USD)').last().fill('30')
  await shoot('reload')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Pay back' }).click()
  await page.getByRole('button', { name: /^Pay back \$/ }).waitFor()
  await shoot('pay-back')
}

const device = await signIn()
const cut: string[] = []
let screenshots = 0
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, browserErrors, close } = await stack.open({ viewport, colorScheme, ...device })
    const shoot = async (shown: Page, name: string): Promise<void> => {
      await shown.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png`, fullPage: true })
      screenshots++
    }
    const show = async (shown: Page, path: string): Promise<void> => {
      await shown.goto(`${shop}${path}`)
      await settle(shown)
    }
    for (const [name, path] of Object.entries(screens)) {
      await show(page, path)
      await shoot(page, name)
    }
    for (const text of await shootInFrench(page, screens, show, shoot)) cut.push(`${size} ${text}`)
    await shootSales(page, (name) => shoot(page, name))
    if (browserErrors.length > 0) console.log(browserErrors)
    await close()
  }
await stack.stop()
for (const text of cut) console.log(`cut: ${text}`)
console.log(`screens selling=${screenshots} cut=${cut.length} folder=.scrip/screens/selling`)
process.exit(cut.length === 0 ? 0 : 1)
