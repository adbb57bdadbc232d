// Screenshots of the public pages (voucher, invoice, link) in English and French, small and large, light and dark.
// Fails if a text is cut.
//   npm run screens -- pages
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { demoBrand, readDemoLogo } from '../../server/local/demo/demo-brand.ts'
import { findCutText } from '../web/cut-text.ts'
import { createPeople } from '../web/people.ts'
import { settle } from '../web/settle.ts'
import { startStack } from '../web/stack.ts'

const folder = resolve(import.meta.dirname, '../../.scrip/screens/pages')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const stack = await startStack()
const people = createPeople(stack)
const api = '/merchant-integrations'
const server = '/merchant-integrations-server'

await stack.post('/sandbox/fund', { amount: 5_000, currency: 'USD' })
await stack.post(`${server}/invoice-currencies`, { currencies: ['USD', 'EUR'] })
const issue = async (amount: number, more: object = {}): Promise<{ id: string; code: string }> =>
  (await stack.post(`${server}/vouchers`, { amount, currency: 'USD', ...more })).data as { id: string; code: string }
const redeem = (voucherCode: string, amount: number | 'max') =>
  stack.post(`${api}/redeem-voucher`, { voucherCode, amount })

const voucher = await issue(100, { expiresAt: '2031-12-31' })
await redeem(voucher.code, 12.5)
await redeem(voucher.code, 7.9)
const locked = await issue(50, { lockPin: '4821' })
const used = await issue(20)
await redeem(used.code, 'max')
const blocked = await issue(30)
await stack.post(`${server}/vouchers/${blocked.id}/block`, {})

const visitor = people.createVisitor('test')
await visitor.post('/auth/test/sign-up', {
  email: 'zoe.adeyemi@example.com',
  username: 'zoe',
  surname: 'Adeyemi',
  otherNames: 'Zoe',
})
await people.signUp('ben@example.com', 'ben')
await visitor.post('/auth/test/forgot', { email: 'ben@example.com' })

const addresses: Record<string, string> = {
  'voucher-start': '/v',
  voucher: `/v#${voucher.code}`,
  'voucher-locked': `/v#${locked.code}`,
  'voucher-used': `/v#${used.code}`,
  'voucher-blocked': `/v#${blocked.code}`,
  'voucher-unknown': `/v#${voucher.code.replaceAll(/[^-]/g, '0')}`,
  'invoice-form': '/invoice?to=CORNER&mode=test',
  'invoice-incomplete': '/invoice',
  'invoice-unknown-shop': '/invoice?to=NOBODY&mode=test',
  'link-sign-up': (await people.linkTo('zoe.adeyemi@example.com', /confirm/)).replace(stack.baseUrl, ''),
  'link-reset': (await people.linkTo('ben@example.com', /Reset your/)).replace(stack.baseUrl, ''),
  'link-expired': `/link#${'x'.repeat(43)}`,
}
const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 } }
const locales = { en: 'en-US', fr: 'fr-FR' }

let screenshots = 0
const cut: string[] = []
async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  screenshots++
  for (const text of await findCutText(page)) cut.push(`${name}: ${text}`)
}

for (const [language, locale] of Object.entries(locales))
  for (const [size, viewport] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      const look = `${size}-${colorScheme}-${language}`
      for (const [name, address] of Object.entries(addresses)) {
        const { page, close } = await stack.open({ viewport, colorScheme, locale })
        await page.goto(`${stack.baseUrl}${address}`)
        await settle(page)
        await shoot(page, `${name}-${look}`)
        if (name === 'invoice-form') {
          await page.locator('button[type=submit]').click()
          await shoot(page, `invoice-faults-${look}`)
        }
        await close()
      }
    }

// The pages of a shop with a brand.
await stack.post(`${server}/brand`, demoBrand)
await stack.post(`${server}/brand/logo`, { image: readDemoLogo() })
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of ['voucher', 'voucher-locked', 'invoice-form']) {
      const { page, close } = await stack.open({ viewport, colorScheme })
      await page.goto(`${stack.baseUrl}${addresses[name]}`)
      await settle(page)
      await shoot(page, `${name}-brand-${size}-${colorScheme}`)
      await close()
    }
await stack.stop()
for (const text of cut) console.log(`cut: ${text}`)
console.log(`screens pages=${screenshots} cut=${cut.length} folder=.scrip/screens/pages`)
process.exit(cut.length === 0 ? 0 : 1)
